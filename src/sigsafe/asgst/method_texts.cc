#include "sigsafe/asgst/method_texts.h"

#include "sigsafe/hotspot/java_method.h"

namespace jprof::asgst {
namespace {

// Marks the identity of a class that has a number. The ids of methods do not have this bit alone:
// their marks are other bits.
constexpr uint64_t kClassMark = uint64_t{1} << 62;

}  // namespace

const MethodRecord* FindMethod(const ApiState& state, uint64_t method) {
  if (!IsMethodId(method)) return nullptr;
  const MethodRecord* const record = state.methods->Find(method, *state.arena);
  return record != nullptr && record->declaring != nullptr ? record : nullptr;
}

uint64_t ClassOf(uint64_t method) {
  const uint64_t number = ClassNumberOf(method);
  return number == 0 ? method : kClassMark | number;
}

uint64_t NumberOfClass(uint64_t klass) {
  const uint64_t number = klass & ~kClassMark;
  return (klass & kClassMark) != 0 && number >> kClassNumberBits == 0 ? number : 0;
}

const ClassRecord* FindClass(const ApiState& state, uint64_t klass) {
  if (const uint64_t number = NumberOfClass(klass); number != 0) {
    return state.methods->FindClass(number, *state.arena);
  }
  if (ClassOf(klass) != klass) return nullptr;  // the id of a method whose class has a number
  const MethodRecord* const method = FindMethod(state, klass);
  return method == nullptr ? nullptr : method->declaring;
}

// The array has its length in the first word, and then the id of each method by its number
// (jdk-17+35 src/hotspot/share/oops/instanceKlass.cpp, get_jmethod_id_length_value).
uint64_t JMethodIdOf(const ApiState& state, uint64_t method_address, uint64_t method) {
  JavaMethod java;
  uint64_t ids = 0;
  int64_t number = 0;
  uint64_t length = 0;
  uint64_t id = 0;
  if (!state.klass_method_ids.exists() || !LoadJavaMethod(*state.vm, method_address, &java) ||
      java.id != method || !state.klass_method_ids.LoadPointer(java.holder, &ids) ||
      !state.vm->const_idnum.Load(java.const_method, &number) || !GuardedLoad(ids, &length) ||
      static_cast<uint64_t>(number) >= length ||
      !GuardedLoad(ids + (static_cast<uint64_t>(number) + 1) * kWordSize, &id) || id == 0) {
    return 0;
  }
  if (state.ids_are_addresses) {
    uint64_t named = 0;
    if (id % kWordSize != 0 || !GuardedLoad(id, &named) || named != method_address) return 0;
  }
  return id;
}

}  // namespace jprof::asgst
