// CompiledScopes: the methods of one frame of compiled code, callee first: the methods inlined at
// this pc, then the compiled method.
//
// Async-signal-safe. Reads the debug information of a frame on the running thread's stack.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

enum class PcMeaning : uint8_t {
  kNext,        // the instruction to run next
  kReturn,      // the return address of a call
  kLeafReturn,  // the return address of a call without debug information:
                // the callee neither stops for a safepoint nor throws
};

class CompiledScopes {
 public:
  struct Scope {
    uint64_t method;
    int32_t bci;     // -1: unknown
    bool outermost;  // the compiled method
  };

  // Finds the scopes at `pc`. REQUIRES: blob.is_nmethod, `pc` is in its code. False: `pc` is a
  // return address that follows no call, or the debug information is unreadable.
  [[nodiscard]] static bool Find(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                                 PcMeaning meaning, CompiledScopes* scopes);

  // True if there is debug information for exactly this pc.
  bool exact() const { return exact_; }

  // Reads the next scope. False: it is unreadable. REQUIRES: the last scope was not the outermost.
  [[nodiscard]] bool Next(Scope* scope);

 private:
  const HotspotLayout* vm_;
  uint64_t method_;    // the compiled method
  uint64_t data_;      // start of the encoded scopes
  uint64_t metadata_;  // start of the table of methods
  bool exact_;
  uint32_t place_;  // place of the next scope in the data; 0: none
};

}  // namespace jprof
