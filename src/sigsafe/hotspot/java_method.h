// The data of a Method that a handler reads: its id, and the bytecode index of a pointer into its
// bytecodes.
//
// Async-signal-safe. A wrong pointer makes a lookup fail, never a fault.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct JavaMethod {
  uint64_t const_method;
  uint64_t id;  // jmethodID; 0: the JVM has made none yet
  bool is_native;
};

// False: `method` is not a Method.
[[nodiscard]] bool LoadJavaMethod(const HotspotLayout& vm, uint64_t method, JavaMethod* to);

// -1: `bcp` does not point into its bytecodes.
int32_t BytecodeIndexOf(const HotspotLayout& vm, const JavaMethod& method, uint64_t bcp);

}  // namespace jprof
