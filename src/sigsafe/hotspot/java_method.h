// JavaMethod: the data that a handler reads from a Method.
// BytecodeIndexOf: the bytecode index of a pointer into the bytecodes of a Method.
//
// A method that is not in its class's table of ids gets an id that contains a mark and the address
// of its Method (AddressedMethod). There are three kinds of such methods: old versions that still
// run after their class was redefined or retransformed; methods that the VM made, such as those for
// method handles; and methods whose class is just being prepared. Their names are read from the
// VM's memory (jvm/method_memory.h).
//
// Async-signal-safe. A wrong pointer makes a lookup fail, never a fault.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct JavaMethod {
  uint64_t const_method;
  uint64_t id;  // jmethodID, or a MarkedAddress
  bool is_native;
};

// The parts of an id with the mark.
struct AddressedMethod {
  uint64_t address;
  uint32_t check;  // MethodCheck of the Method's ConstMethod
};

// Returns a 13-bit hash of a ConstMethod's address. If the VM has put another Method at the address
// of a freed one, the hashes of the two differ with a probability of 8191 in 8192.
constexpr uint32_t MethodCheck(uint64_t const_method) {
  return static_cast<uint32_t>((const_method * 0x9e3779b97f4a7c15) >> 51);
}

// The mark of ids that contain the address of a Method. No jmethodID has it: jmethodIDs are
// addresses of at most 48 bits, and from JDK 26 on small numbers (JDK-8268406).
inline constexpr uint64_t kMethodMark = uint64_t{1} << 61;
inline constexpr int kMethodAddressBits = 48;

constexpr uint64_t MarkedAddress(const AddressedMethod& method) {
  return kMethodMark | uint64_t{method.check} << kMethodAddressBits | method.address;
}

constexpr bool HasMark(uint64_t id) { return (id & kMethodMark) != 0; }

// Returns the address in an id. REQUIRES: HasMark(id).
constexpr AddressedMethod AddressedMethodOf(uint64_t id) {
  return {id & ((uint64_t{1} << kMethodAddressBits) - 1),
          static_cast<uint32_t>((id & ~kMethodMark) >> kMethodAddressBits)};
}

// Reads the data of a Method. Returns false if `method` is not the address of a Method.
[[nodiscard]] bool LoadJavaMethod(const HotspotLayout& vm, uint64_t method, JavaMethod* to);

// Returns the bytecode index of `bcp`; -1 if `bcp` does not point into the method's bytecodes.
int32_t BytecodeIndexOf(const HotspotLayout& vm, const JavaMethod& method, uint64_t bcp);

}  // namespace jprof
