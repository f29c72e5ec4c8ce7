// The elapsed time that a wall sample stands for, in whole intervals.
//
// Time is cut at the multiples of the interval on CLOCK_MONOTONIC, for all threads alike, and the
// engine ticks there. A sample stands for the cuts since the thread's previous sample, or since the
// begin of its observation. So
//  1. the weights of a thread add up to its time under observation to within one interval, however
//     late the samples come;
//  2. a thread shorter than an interval is sampled with a probability proportional to its lifetime:
//     if a cut falls into it.
//
// Async-signal-safe. Called on the sampled thread, under the sampler's guard, or by the wall engine
// for a sleeping thread: the first caller accounts for a cut.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// WallPayload: the payload of a wall sample.

// Packed: a stored sample takes 48 bytes instead of 56.
struct [[gnu::packed]] WallPayload {
  static constexpr SampleKind kKind = SampleKind::kWall;

  Nanos elapsed_ns;  // elapsed since the previous sample
  ThreadActivity activity;
};

struct WallInterval {
  uint64_t weight;  // whole intervals, in nanoseconds; 0: no cut in a window since the previous one
  Nanos elapsed_ns;  // since the previous recorded sample, or since observation began
};

// Begins the observation of the thread: at the start of the sampler, or at the registration of a
// later thread. AccountWallTime calls it for threads unknown to the engine. REQUIRES: interval_ns >
// 0.
void BeginWallTime(ThreadSlot& thread, const SamplingState& state, Nanos interval_ns);

// Whether the thread has time to account for that is recorded: the clock has ticked in a window.
// Always, if the recording is not limited to windows.
inline bool HasWallTicksInWindows(const ThreadSlot& thread, const SamplingState& state) {
  return !state.window.IsLimited() ||
         state.wall_ticks_in_windows_ns.load(std::memory_order_relaxed) !=
             thread.wall_ticks_in_windows_ns.load(std::memory_order_relaxed);
}

// No weight while wall is not sampled. Time outside of windows is counted here.
WallInterval AccountWallTime(ThreadSlot& thread, const SamplingState& state, Nanos now_ns);

// The last cut at or before `now_ns`. REQUIRES: interval_ns > 0.
constexpr Nanos WallCutBefore(Nanos now_ns, Nanos interval_ns) {
  JPROF_CHECK(interval_ns > 0);
  return now_ns - now_ns % interval_ns;
}

}  // namespace jprof
