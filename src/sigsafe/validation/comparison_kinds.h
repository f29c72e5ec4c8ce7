// The sorts of comparisons of stacks, with the names that they have in events and tables.
//
// Async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sigsafe/stack/frame.h"

namespace jprof {

// The layers of comparisons. Each judges the next one.
enum class Layer : uint8_t {
  kProbes,     // JVMTI's GetStackTrace with the shadow stack, at the entry of a method
  kSafepoint,  // a walker with GetStackTrace, at the entry of a method
  kSignal,     // a walker with the shadow stack, at any instruction
  // Our walker, at any instruction, with the GetStackTrace of the next safepoint. Approximate: the
  // thread has moved on, so that no difference counts as an error.
  kLate,
};
enum class JudgedWalker : uint8_t { kJvmti, kOurs, kAsgct };
// The code in which the innermost Java frame runs.
enum class Tier : uint8_t { kInterpreted, kC1, kC2, kNative, kNone };

std::string_view TextOf(Layer layer);
std::string_view TextOf(JudgedWalker walker);
std::string_view TextOf(Tier tier);

// Returns the tier of the innermost Java frame of a stack, callee first.
Tier TierOf(const Frame* frames, size_t count);

}  // namespace jprof
