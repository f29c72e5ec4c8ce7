// How much elapsed time a wall sample stands for, in whole intervals.
//
// Time is cut at the multiples of the interval on CLOCK_MONOTONIC, for all threads alike, and the
// engine ticks there. A sample stands for the cuts since the thread's previous one, or since it
// came under observation. So
//  1. the weights of a thread add up to its time under observation to within one interval, however
//     late the samples come;
//  2. a thread shorter than an interval is seen with the probability that its life deserves: a
//     cut falls into it or not.
//
// Async-signal-safe. Called on the sampled thread, under the session's guard, or by the wall engine
// for a thread that sleeps: whoever comes first accounts for a cut.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

struct WallSpan {
  uint64_t weight;   // whole intervals, in nanoseconds; 0: no cut since the previous sample
  Nanos elapsed_ns;  // since the previous recorded sample, or since observation began
};

// Observation of the thread begins: with the session, or with the record of a thread that came
// later. AccountWallTime does so itself for a thread that the engine has not met.
// REQUIRES: interval_ns > 0.
void BeginWallTime(ProfiledThread& thread, const SamplingState& state, Nanos interval_ns);

// Nothing while wall is not sampled.
WallSpan AccountWallTime(ProfiledThread& thread, const SamplingState& state, Nanos now_ns);

// The last cut at or before `now_ns`. REQUIRES: interval_ns > 0.
constexpr Nanos WallCutBefore(Nanos now_ns, Nanos interval_ns) {
  JPROF_CHECK(interval_ns > 0);
  return now_ns - now_ns % interval_ns;
}

}  // namespace jprof
