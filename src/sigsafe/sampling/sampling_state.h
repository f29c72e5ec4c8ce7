// SamplingState: all that the running session shares with its handlers.
//
// One object for the life of the process. A handler reads it under the guard of `traces`, and only
// then: the members that belong to one session change while no table is active and no guard is
// held (session/sampling_memory.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "sigsafe/traces/call_trace_storage.h"

namespace jprof {

class ThreadRecords;

// Of a handler on a thread that has no record.
enum class UnknownThreads : uint8_t { kClaimRecord, kStayUnknown };

struct SamplingState {
  CallTraceStorage traces;

  // Fixed while a table of `traces` is active.
  uint32_t session = 0;  // > 0, different for each session of the process
  Nanos start_ns = 0;
  Nanos cpu_interval_ns = 0;   // 0: CPU time is not sampled
  Nanos wall_interval_ns = 0;  // 0: the wall clock is not sampled
  SampleBlocks* samples = nullptr;
  VirtualThreadNames* names = nullptr;  // nullptr: names are not wanted

  // Relaxed: also read before the guard is entered, where either answer will do.
  std::atomic<UnknownThreads> unknown_threads{UnknownThreads::kClaimRecord};
};

SamplingState& Sampling();

// The records in which handlers look for their thread. Set once, before the first signal.
void SetThreadRecords(ThreadRecords* records);

// Whether signals of the process's CPU timer are ours. Set before it runs, cleared after it was
// stopped; relaxed: the signal comes later.
std::atomic<bool>& ProcessTimerIsOurs();

// Intervals of samples that found no free record, by kind: nobody to charge them to. Taken by the
// recorder with exchange(0).
std::atomic<uint64_t>& LostWithoutThread(SampleKind kind);

}  // namespace jprof
