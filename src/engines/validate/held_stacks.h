// HeldStacks judges stacks by the debug information of their innermost compiled frame.
//
// The JVM reports the debug information of new code late (compiled_code.h). Until then nothing is
// known of the code, or only what the code that was at its addresses before it was. So a stack whose
// verdict depends on this information is held, but at most for kPatience:
//
//   a stack that differs in the innermost physical frame only   moved or coarse, if the information
//                                                               says what the walker said
//   a stack that is equal, but has another bytecode index       equal, if the information of the
//   than the information says                                   new code says this index
//
// Used by one thread, not for handlers. `now_ns` is CLOCK_MONOTONIC.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engines/validate/compiled_code.h"
#include "engines/validate/judged_stack.h"
#include "engines/validate/probed_methods.h"
#include "sigsafe/base/types.h"

namespace jprof {

// True if the walked stack is what the JVM's own debug information says of the instruction.
bool IsAsDecoded(const ProbedMethods& methods, const CompiledCode::Decoded& decoded,
                 std::span<const JudgedFrame> walked);

class HeldStacks {
 public:
  static constexpr Nanos kPatience = 5 * kNanosPerSecond;

  // REQUIRES: both outlive the object.
  HeldStacks(const CompiledCode& code, const ProbedMethods& methods)
      : code_(code), methods_(methods) {}

  // Holds a stack that differs in the innermost physical frame only.
  void AddConfined(JudgedStack stack, Nanos now_ns) {
    held_.push_back({std::move(stack), false, now_ns});
  }

  // Holds a stack that is equal, if the information that is known now says other bytecode indexes.
  // Returns false, and leaves the stack as it is, if not.
  bool AddIfIndexesDiffer(JudgedStack& stack, Nanos now_ns);

  // Calls count(stack) with the verdict of each held stack that can be judged now. If `is_last` is
  // true, all stacks are judged.
  template <typename Count>
  void JudgeAll(Nanos now_ns, bool is_last, Count&& count) {
    std::erase_if(held_, [&](Held& held) {
      const bool waits = !is_last && now_ns - held.time_ns < kPatience;
      if (!(held.is_equal ? JudgeIndexes(held, waits) : JudgeConfined(held, waits))) return false;
      count(held.stack);
      return true;
    });
  }

 private:
  struct Held {
    JudgedStack stack;
    bool is_equal;  // except in its bytecode indexes
    Nanos time_ns;
  };

  // Sets the verdict. Returns false if the stack has to be held on.
  bool JudgeIndexes(Held& held, bool waits) const;
  bool JudgeConfined(Held& held, bool waits) const;

  const CompiledCode& code_;
  const ProbedMethods& methods_;
  std::vector<Held> held_;
};

}  // namespace jprof
