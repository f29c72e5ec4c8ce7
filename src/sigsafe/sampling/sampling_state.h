// SamplingState: the state that the running session shares with its handlers.
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
#include "sigsafe/sampling/sample_window.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "sigsafe/traces/call_trace_storage.h"

namespace jprof {

class ThreadRecords;

// What a handler does on a thread without a record.
enum class UnknownThreads : uint8_t { kClaimRecord, kStayUnknown };

struct SamplingState {
  CallTraceStorage traces;

  // Outside of it samples are counted and not recorded.
  SampleWindow window;
  // Calls of functions of begin= and end=, each of which has cost a breakpoint and a signal.
  // relaxed: a number.
  std::atomic<uint64_t> window_breakpoints{0};
  // The ticks of the wall clock that found a window open, as time. Only while the recording is
  // limited to windows. Added to by the wall clock; relaxed: before it signals the threads.
  std::atomic<Nanos> wall_ticks_in_windows_ns{0};

  // Fixed while a table of `traces` is active.
  uint32_t session = 0;  // > 0, different for each session of the process
  Nanos start_ns = 0;
  SampleBlocks* samples = nullptr;
  VirtualThreadNames* names = nullptr;  // nullptr: names are not collected

  // Relaxed: also read before the guard is entered, where either value is correct.
  std::atomic<UnknownThreads> unknown_threads{UnknownThreads::kClaimRecord};
  // By kind, in the unit of the kind; 0: not sampled. Changed by the kind's engine at its start and
  // stop, while handlers run: a handler reads the interval once.
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

// The weight of samples on threads without a record, by kind. Taken by the recorder with
// exchange(0).
std::atomic<uint64_t>& LostWithoutThread(SampleKind kind);

// The weight of samples outside of the windows, by kind and of all threads. Taken as above.
std::atomic<uint64_t>& OutsideWindows(SampleKind kind);

inline void AddOutsideWindows(SampleKind kind, uint64_t weight) {
  OutsideWindows(kind).fetch_add(weight, std::memory_order_relaxed);
}

// Samples, not their weight, whose RootBudget has ended the walk; by kind and of all threads. Taken
// as above.
std::atomic<uint64_t>& SamplesWithoutRoot(SampleKind kind);

inline void CountWithoutRoot(SampleKind kind) {
  SamplesWithoutRoot(kind).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace jprof
