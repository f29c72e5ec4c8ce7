#include "chunks/class_constants.h"

#include <memory>

namespace jprof {
namespace {

constexpr char kBootLoader[] = "bootstrap";  // the JDK's name for it

}  // namespace

uint32_t ClassKey(const ClassInfo& info, ConstantPools& pools) {
  ClassConstant constant;
  constant.name = info.name;
  constant.modifiers = info.modifiers;
  constant.hidden = info.hidden;
  if (const ClassLoaderInfo* loader = info.loader.get()) {
    const uint32_t loader_class = pools.Class({.name = loader->class_name});
    constant.loader_key = pools.ClassLoader({loader_class, loader->name});
  } else {
    constant.loader_key = pools.ClassLoader({0, kBootLoader});
  }
  return pools.Class(constant);
}

uint32_t ClassConstants::KeyOf(uint32_t number) {
  const auto [entry, is_new] = keys_.try_emplace(number, 0);
  if (!is_new) return entry->second;
  const std::shared_ptr<const ClassInfo> info = classes_.Find(number);
  if (info != nullptr) entry->second = ClassKey(*info, pools_);
  return entry->second;
}

}  // namespace jprof
