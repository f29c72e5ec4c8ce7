#include "sigsafe/asgst/method_texts.h"

#include <algorithm>

#include "sigsafe/hotspot/java_method.h"

namespace jprof::asgst {
namespace {

// The number of methods of a class that are looked at: a class file can have no more.
constexpr uint64_t kMostMethods = 65536;

// Marks the identity of a class that has a number. The ids of methods do not have this bit alone:
// their marks are other bits.
constexpr uint64_t kClassMark = uint64_t{1} << 62;

// Returns the number of the method that has the jmethodID; kMostMethods if the class has none.
uint64_t NumberOfId(const ApiState& state, uint64_t klass, uint64_t id) {
  uint64_t ids = 0;
  uint64_t length = 0;
  uint64_t found = 0;
  if (!state.klass_method_ids.exists() || !state.klass_method_ids.LoadPointer(klass, &ids) ||
      !GuardedLoad(ids, &length)) {
    return kMostMethods;
  }
  for (uint64_t i = 0; i < std::min(length, kMostMethods); ++i) {
    if (!GuardedLoad(ids + (i + 1) * kWordSize, &found)) break;
    if (found == id) return i;
  }
  return kMostMethods;
}

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

// The methods of a class are sorted by their names, so a method need not be at its number.
uint64_t FindMethodWithId(const ApiState& state, uint64_t klass, uint64_t id) {
  const uint64_t number = NumberOfId(state, klass, id);
  uint64_t methods = 0;
  int64_t length = 0;
  if (number == kMostMethods || !state.klass_methods.LoadPointer(klass, &methods) ||
      !state.methods_length.Load(methods, &length)) {
    return 0;
  }
  for (uint64_t i = 0; i < std::min(static_cast<uint64_t>(length), kMostMethods); ++i) {
    uint64_t method = 0;
    JavaMethod java;
    int64_t own_number = -1;
    if (!GuardedLoad(methods + state.methods_data + i * kWordSize, &method)) break;
    if (!LoadJavaMethod(*state.vm, method, &java) ||
        !state.vm->const_idnum.Load(java.const_method, &own_number) ||
        static_cast<uint64_t>(own_number) != number) {
      continue;
    }
    return JMethodIdOf(state, method, java.id) == id ? method : 0;
  }
  return 0;
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
