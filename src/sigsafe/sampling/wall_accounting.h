// AccountWallTime determines the elapsed time that a wall sample stands for, in whole intervals.
// WallPayload is the payload of a wall sample.
//
// Time is cut at the multiples of the interval on CLOCK_MONOTONIC. These cuts are the same for all
// threads, and are the times at which the engine ticks. A sample stands for one interval per cut
// since the thread's previous sample. The first sample counts the cuts since the start of the
// thread's observation. So
//  1. the weights of a thread's samples add up to its time under observation to within one
//     interval, however late the samples come;
//  2. a thread that lives for less than an interval is sampled with a probability proportional to
//     its lifetime: it is sampled if a cut falls into its lifetime.
//
// Async-signal-safe. Called on the sampled thread, under the guard of the table of stacks
// (CallTraceStorage), or by the wall engine for a sleeping thread. If both reach a cut, the first
// one accounts for it.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The payload of a wall sample. Packed: a stored sample takes 48 bytes instead of 56.
struct [[gnu::packed]] WallPayload {
  static constexpr SampleKind kKind = SampleKind::kWall;

  Nanos elapsed_ns;  // time since the previous sample
  ThreadActivity activity;
};

struct WallInterval {
  // The part of the accounted intervals that is in windows, in nanoseconds; 0 if there is none.
  uint64_t weight;
  Nanos elapsed_ns;  // time since the previous sample, or since the observation began
};

// Sets the start of the thread's observation: the start of the sampler, or the registration of the
// thread if that is later. AccountWallTime calls this function for threads that the engine does not
// know. REQUIRES: interval_ns > 0.
void BeginWallTime(ThreadSlot& thread, const SamplingState& state, Nanos interval_ns);

// True if a sample of the thread is recorded: the recording is not limited to windows, or the
// engine has ticked in a window since the thread's time was last accounted for.
inline bool HasWallTicksInWindows(const ThreadSlot& thread, const SamplingState& state) {
  return !state.window.IsLimited() ||
         state.wall_ticks_in_windows_ns.load(std::memory_order_relaxed) !=
             thread.wall_ticks_in_windows_ns.load(std::memory_order_relaxed);
}

// Accounts for the thread's time up to `now_ns`, and counts the part of it outside of windows
// (AddOutsideWindows). The returned weight is 0 while wall is not sampled.
WallInterval AccountWallTime(ThreadSlot& thread, const SamplingState& state, Nanos now_ns);

// Returns the last cut at or before `now_ns`. REQUIRES: interval_ns > 0.
constexpr Nanos WallCutBefore(Nanos now_ns, Nanos interval_ns) {
  JPROF_CHECK(interval_ns > 0);
  return now_ns - now_ns % interval_ns;
}

}  // namespace jprof
