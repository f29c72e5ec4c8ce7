// InterruptedCode: the code around an interrupted instruction, for examples of wrong stacks.
//
// Async-signal-safe. A wrong pointer makes a lookup fail, never a fault. REQUIRES: the faults of
// guarded loads are caught.
#pragma once

#include <cstdint>
#include <string_view>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/validation/bounded_text.h"

namespace jprof {

struct InterruptedCode {
  static constexpr uint32_t kBefore = 16;
  static constexpr uint32_t kBytes = 32;
  static constexpr uint32_t kMostName = 255;

  uint64_t begin = 0;  // address of the compiled code or stub; 0 if the code was not generated
  uint64_t end = 0;
  // From kBefore bytes before the instruction on, rounded down to a multiple of 8.
  uint8_t bytes[kBytes] = {};
  // The name of the stub, or the method that was compiled. Ends in a 0.
  char name[kMostName + 1] = {};
  bool is_method = false;  // the code is a compiled method
};

// Returns the code around the instruction; without `begin` if the code was not generated.
InterruptedCode CodeAt(const HotspotLayout& vm, uint64_t pc);

// Appends a text such as "com.acme.Shop.order(I)V"; "?" if the method has no readable names.
// `method` is the address of a Method. REQUIRES: the method is on the stack of the calling thread.
void AppendMethod(const HotspotLayout& vm, uint64_t method, BoundedText& text);

// Appends "at 0x12 of 0x340 bytes, Java at 0x7f...: 55 48 ... [89] ...", with the first byte of the
// interrupted instruction in brackets. `java_pc` is the address in the innermost physical Java
// frame. If the code was not generated, appends only "Java at 0x7f...".
void AppendPlace(uint64_t pc, uint64_t java_pc, const InterruptedCode& code, BoundedText& text);

}  // namespace jprof
