// ClassConstants: maps a class number from the payload of a sample to the key of the class in the
// recording.
//
// Used on the recorder's thread, for one chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "jfr/writer/constant_pools.h"
#include "jvm/method_info.h"
#include "jvm/sampled_classes.h"

namespace jprof {

// Adds the class and its loader to `pools`, and returns the key of the class.
inline uint32_t ClassKey(const ClassInfo& info, ConstantPools& pools) {
  ClassConstant constant;
  constant.name = info.name;
  constant.modifiers = info.modifiers;
  constant.hidden = info.hidden;
  if (const ClassLoaderInfo* loader = info.loader.get()) {
    const uint32_t loader_class = pools.Class({.name = loader->class_name});
    constant.loader_key = pools.ClassLoader({loader_class, loader->name});
  } else {
    // "bootstrap" is the JDK's name for the boot loader.
    constant.loader_key = pools.ClassLoader({0, "bootstrap"});
  }
  return pools.Class(constant);
}

class ClassConstants {
 public:
  ClassConstants(SampledClasses& classes, ConstantPools& pools)
      : classes_(classes), pools_(pools) {}

  // Returns the key of the class with this number. Returns 0 (no class) if the number is 0, or if
  // SampledClasses has dropped the number.
  uint32_t KeyOf(uint32_t number) {
    const auto [entry, is_new] = keys_.try_emplace(number, 0);
    if (!is_new) return entry->second;
    const std::shared_ptr<const ClassInfo> info = classes_.Find(number);
    if (info != nullptr) entry->second = ClassKey(*info, pools_);
    return entry->second;
  }

 private:
  SampledClasses& classes_;
  ConstantPools& pools_;
  std::unordered_map<uint32_t, uint32_t> keys_;  // keyed by number
};

}  // namespace jprof
