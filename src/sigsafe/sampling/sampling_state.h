// SamplingState: all that the running session shares with its handlers.
//
// One object for the life of the process. A handler reads it under the guard of `traces`, and only
// then: the members that belong to one session change while no table is active and no guard is
// held (session/sampling_memory.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/sample_kinds.h"
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
  SampleBlocks* samples = nullptr;
  VirtualThreadNames* names = nullptr;  // nullptr: names are not wanted

  // Relaxed: also read before the guard is entered, where either answer will do.
  std::atomic<UnknownThreads> unknown_threads{UnknownThreads::kClaimRecord};
  // By kind, in its unit; 0: not sampled. Set by the kind's engine from its start to its stop,
  // while handlers run: whoever divides by it reads it once.
  std::atomic<int64_t> intervals[kSampleKindCount] = {};

  int64_t IntervalOf(SampleKind kind) const {
    return intervals[static_cast<size_t>(kind)].load(std::memory_order_relaxed);
  }
  void SetInterval(SampleKind kind, int64_t interval) {
    intervals[static_cast<size_t>(kind)].store(interval, std::memory_order_relaxed);
  }
};

extern constinit SamplingState g_sampling;

inline SamplingState& Sampling() { return g_sampling; }

// The records in which handlers look for their thread. Set once, before the first signal.
void SetThreadRecords(ThreadRecords* records);

// nullptr: not set yet. Async-signal-safe.
ThreadRecords* GetThreadRecords();

// Weight of samples that found no free record, by kind: nobody to charge it to. Taken by the
// recorder with exchange(0).
std::atomic<uint64_t>& LostWithoutThread(SampleKind kind);

}  // namespace jprof
