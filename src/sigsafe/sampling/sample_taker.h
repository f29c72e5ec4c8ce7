// TakeSample: one sample of the running thread, from record to ring. The common half of the
// handlers.
//
// Async-signal-safe. Whatever fails is counted with its weight; nothing is dropped silently. A
// sample that arrives after the session has stopped is nobody's and is ignored.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// In place of a record's index: the signal was for any thread. One that has no record, or whose
// clock nobody has cut, is not sampled.
inline constexpr uint32_t kWhoeverRuns = 0xffffffff;

struct SampleRequest {
  SampleKind kind;
  ThreadActivity activity;
  uint32_t record_index;  // from the signal's cookie
  uint32_t intervals;     // cpu: the kernel's count, for threads whose clock nobody has cut
  void* ucontext;
};

void TakeSample(const SampleRequest& request);

// The index of the running thread's record, if the wall clock has called the thread and waits for
// its answer. For a signal that does not say so itself.
std::optional<uint32_t> RecordCalledByWallClock();

// Tells the running thread which record is its own, unless it knows. A record of another thread is
// refused.
void AdoptRecord(uint32_t record_index);

// Accounts for the time since the thread's last sample of the kind, under the stack of that sample
// or, if it is no longer stored, under `[thread end]`. On the ending thread itself, with the
// profiling signals blocked. REQUIRES: the session does not end meanwhile.
void RecordThreadEnd(ProfiledThread* thread, SampleKind kind);

}  // namespace jprof
