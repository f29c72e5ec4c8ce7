// How much elapsed time a wall sample stands for, in whole intervals with the rest carried.
//
// Σ intervals × interval equals the thread's time under observation to within one interval, however
// late the samples come. Async-signal-safe; called on the sampled thread, under the session's
// guard.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

struct WallSpan {
  uint32_t intervals;  // 0: the interval is not over yet, record nothing
  Nanos elapsed_ns;    // since the previous recorded sample, or since observation began
};

WallSpan AccountWallTime(ProfiledThread* thread, const SamplingState& state, Nanos now_ns);

// Where in its first interval a thread starts: spread over [0, interval) by the thread's serial, so
// that threads shorter than an interval are seen in proportion to their life.
Nanos FirstPhase(uint32_t thread_serial, Nanos interval_ns);

}  // namespace jprof
