// When a thread counts as asleep, and how long it may then be left alone.
//
// A thread's CPU clock stands still exactly while the thread does not run, and what does not run
// keeps its stack. Only the handler of our own signal runs without changing it: the clock always
// reads more afterwards than within. So the reading to compare with, the baseline, is the first one
// after the handler that is close to the handler's own and does not move.
//
// The longer a thread has slept the rarer it is looked at. Of a run that is discovered late it is
// not known when it began: the time since the last look but one interval stays with the old stack.
// Per run these are at most kMaxGap intervals, and at most 1/kIdlePerGap of the time that the
// thread was known to sleep before.
//
// Plain functions, Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

// What a thread may use between our handler's reading and its next wait: the way out of the signal,
// and a program that calls its interrupted wait again.
inline constexpr Nanos kSettlingCpu = 50'000;

inline constexpr int64_t kMaxGap = 64;
inline constexpr int64_t kIdlePerGap = 8;

// `answer_ns`: the CPU clock in the handler; the others two readings later, one right after the
// other.
constexpr bool IsAsleep(Nanos answer_ns, Nanos first_ns, Nanos second_ns) {
  return first_ns == second_ns && first_ns - answer_ns <= kSettlingCpu;
}

// Intervals until the next look at a thread that has slept for that many.
constexpr int64_t GapAfter(int64_t idle_intervals) {
  return std::clamp<int64_t>(idle_intervals / kIdlePerGap, 1, kMaxGap);
}

}  // namespace jprof
