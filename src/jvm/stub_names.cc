#include "jvm/stub_names.h"

#include <iterator>
#include <utility>

namespace jprof {

void StubNames::OnDynamicCodeGenerated(jvmtiEnv*, const char* name, const void* start, jint size) {
  if (name == nullptr || size <= 0) return;
  Add(reinterpret_cast<uint64_t>(start), static_cast<uint64_t>(size), name);
}

void StubNames::Add(uint64_t start, uint64_t size, std::string name) {
  const std::lock_guard lock(mutex_);
  stubs_[start] = {start + size, std::move(name)};
}

std::string StubNames::Of(uint64_t pc) const {
  const std::lock_guard lock(mutex_);
  const auto after = stubs_.upper_bound(pc);
  if (after == stubs_.begin()) return {};
  const Stub& stub = std::prev(after)->second;
  return pc < stub.end ? stub.name : std::string();
}

}  // namespace jprof
