// CompiledScopes: the methods that one frame of compiled code stands for, callee first: what was
// inlined at this place, and the method that was compiled.
//
// Async-signal-safe. Debug information of a frame that is on the running thread's stack.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

enum class PcMeaning : uint8_t {
  kNext,        // the instruction to run next
  kReturn,      // where a call returns to
  kLeafReturn,  // as kReturn, and the compiler kept no debug information for this place: calls of
                // code that neither stops for a safepoint nor throws
};

class CompiledScopes {
 public:
  struct Scope {
    uint64_t method;
    int32_t bci;     // -1: not known
    bool outermost;  // the method that was compiled
  };

  // REQUIRES: blob.is_nmethod, `pc` in its code. False: `pc` is a return address and no call is
  // in front of it, or the debug information is unreadable.
  [[nodiscard]] static bool Find(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                                 PcMeaning meaning, CompiledScopes* scopes);

  // Whether there is debug information for exactly this place.
  bool exact() const { return exact_; }

  // False: unreadable. Not to be called after the outermost one.
  [[nodiscard]] bool Next(Scope* scope);

 private:
  const HotspotLayout* vm_;
  uint64_t method_;    // that was compiled
  uint64_t data_;      // start of the encoded scopes
  uint64_t metadata_;  // start of the table of methods
  bool exact_;
  uint32_t place_;  // of the next scope in the data, 0: there is none
};

}  // namespace jprof
