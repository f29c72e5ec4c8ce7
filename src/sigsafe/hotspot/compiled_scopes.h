// CompiledScopes: the methods of one frame of compiled code, callee first. They are the methods
// inlined at the frame's pc, and then the compiled method.
//
// Async-signal-safe. Reads the debug information of a frame on the running thread's stack.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

enum class PcMeaning : uint8_t {
  kNext,        // the instruction that the thread runs next
  kReturn,      // the return address of a call
  kLeafReturn,  // the return address of a call for which there is no debug information,
                // because the callee neither stops for a safepoint nor throws
};

class CompiledScopes {
 public:
  struct Scope {
    uint64_t method;
    int32_t bci;     // bytecode index; -1 if unknown
    bool outermost;  // true for the compiled method, false for an inlined one
  };

  // Finds the scopes at `pc`. Returns false if `pc` is a return address that follows no call, or if
  // the debug information is unreadable. REQUIRES: blob.is_nmethod; `pc` is in its code.
  [[nodiscard]] static bool Find(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                                 PcMeaning meaning, CompiledScopes* scopes);

  // True if there is debug information for exactly the pc that was passed to Find.
  bool exact() const { return exact_; }

  // Reads the next scope. Returns false if it is unreadable. REQUIRES: the previous scope was not
  // the outermost.
  [[nodiscard]] bool Next(Scope* scope);

 private:
  const HotspotLayout* vm_;
  uint64_t method_;    // the compiled method
  uint64_t data_;      // start of the encoded scopes
  uint64_t metadata_;  // start of the table of methods
  bool exact_;
  uint32_t place_;  // offset of the next scope from data_; 0 if there is no debug information
};

}  // namespace jprof
