// JavaMethod: the data that a handler reads from a Method.
// BytecodeIndexOf: the bytecode index of a pointer into the bytecodes of a Method.
//
// The id of a method consists of the number of its class, its own number within the class, and a
// hash of the version of the class that has this Method. No class and no method gets a number that
// another one has had. So the id of a method is never that of another method, although the VM
// reuses the memory of a Method when its class has been unloaded or redefined. A handler that is
// the first to find a method on a stack copies the names of the method (stack/method_records.h).
//
// A method without such a number has an id that contains the address of its Method: the methods
// that the VM makes for method handles, which are never freed, and all methods of a JVM whose
// classes have no numbers. docs/adr/0020 has the reasons.
//
// Async-signal-safe. A wrong pointer makes a lookup fail, never a fault.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct JavaMethod {
  uint64_t address;
  uint64_t const_method;
  uint64_t constants;  // the constant pool
  uint64_t holder;     // the InstanceKlass
  uint64_t id;
  bool is_native;
};

// The number of bits of flags below the number in HotspotLayout::klass_number (jdk-17+35
// src/hotspot/share/jfr/recorder/checkpoint/types/traceid/jfrTraceIdMacros.hpp, TRACE_ID_SHIFT).
inline constexpr int kClassFlagBits = 16;

// --- ids. A number without either mark is a jmethodID: jmethodIDs are addresses of at most 48
// bits,
// --- and from JDK 26 on small numbers (JDK-8268406).

inline constexpr uint64_t kNumberMark = uint64_t{1} << 63;
inline constexpr uint64_t kAddressMark = uint64_t{1} << 61;
inline constexpr int kMethodAddressBits = 48;
inline constexpr int kIdnumBits = 16;
inline constexpr int kClassNumberBits = 34;
inline constexpr int kVersionBits = 13;
static_assert(kIdnumBits + kClassNumberBits + kVersionBits == 63);

// True if LoadJavaMethod has made the id.
constexpr bool IsMethodId(uint64_t id) { return (id & (kNumberMark | kAddressMark)) != 0; }

// Returns the number of the class of a method; 0 if the id does not contain the number. REQUIRES:
// IsMethodId(id).
constexpr uint64_t ClassNumberOf(uint64_t id) {
  return (id & kNumberMark) == 0 ? 0 : id >> kIdnumBits & ((uint64_t{1} << kClassNumberBits) - 1);
}

// Reads the data of a Method. Returns false if `method` is not the address of a Method.
[[nodiscard]] bool LoadJavaMethod(const HotspotLayout& vm, uint64_t method, JavaMethod* to);

// Returns the bytecode index of `bcp`; -1 if `bcp` does not point into the method's bytecodes.
int32_t BytecodeIndexOf(const HotspotLayout& vm, const JavaMethod& method, uint64_t bcp);

// Returns the bytecode index that an interpreted frame has in the place of its bytecode pointer; -1 if
// `word` is neither. JDK 8 replaces the pointer by the index while a collector moves the methods
// (jdk8u src/share/vm/runtime/frame.cpp, frame::gc_prologue).
int32_t StoredBytecodeIndex(const HotspotLayout& vm, const JavaMethod& method, uint64_t word);

}  // namespace jprof
