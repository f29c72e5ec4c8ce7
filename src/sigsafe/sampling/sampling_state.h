// SamplingState is the state that the running sampler shares with its handlers.
//
// There is one object for the life of the process. A handler reads the members that belong to one
// run of the sampler only under the guard of `traces`. These members change only while no table is
// active and no guard is held (sampler/sampling_memory.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "sigsafe/sampling/sample_window.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "sigsafe/stack/call_trace_storage.h"

namespace jprof {

class ThreadSlots;

// Says what a handler does on a thread without a slot: it claims a slot, or it leaves the thread
// unknown.
enum class UnknownThreads : uint8_t { kClaimSlot, kStayUnknown };

struct SamplingState {
  CallTraceStorage traces;

  // Samples outside of the window are counted and not recorded.
  SampleWindow window;
  // The number of calls to functions of the options `begin=` and `end=`, each of which has cost a
  // breakpoint and a signal. relaxed: a plain counter.
  std::atomic<uint64_t> window_breakpoints{0};
  // The number of ticks at which the wall engine found a window open, times the interval. Counted
  // only while the recording is limited to windows. Written by the wall engine. relaxed: the wall
  // engine signals threads only after its store.
  std::atomic<Nanos> wall_ticks_in_windows_ns{0};

  // The next four members do not change while a table of `traces` is active.
  uint32_t run = 0;  // > 0, different for each run of the sampler in the process
  Nanos start_ns = 0;
  SampleBlocks* samples = nullptr;
  VirtualThreadNames* names = nullptr;  // nullptr if names are not collected

  // relaxed: unknown_threads is also read before the guard is entered, where either value is
  // correct.
  std::atomic<UnknownThreads> unknown_threads{UnknownThreads::kClaimSlot};
  // The interval of each kind, in the unit of the kind; 0 if the kind is not sampled. The engine of
  // the kind changes the interval at its start and at its stop, while handlers run. So a handler
  // reads an interval only once.
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

// Sets the slots in which handlers look for their thread. Called once, before the first signal.
void SetThreadSlots(ThreadSlots* slots);

// Returns the slots; nullptr if they are not set yet. Async-signal-safe.
ThreadSlots* GetThreadSlots();

// Returns the counter of lost weight of `kind` on threads without a slot. Taken by the recorder
// with exchange(0).
std::atomic<uint64_t>& LostWithoutThread(SampleKind kind);

// Returns the counter of weight of `kind` outside of the windows, for all threads. Taken by the
// recorder with exchange(0).
std::atomic<uint64_t>& OutsideWindows(SampleKind kind);

inline void AddOutsideWindows(SampleKind kind, uint64_t weight) {
  OutsideWindows(kind).fetch_add(weight, std::memory_order_relaxed);
}

// Returns the counter of samples of `kind` (not of their weight) whose walk the RootBudget has
// ended, for all threads. Taken by the recorder with exchange(0).
std::atomic<uint64_t>& SamplesWithoutRoot(SampleKind kind);

inline void CountWithoutRoot(SampleKind kind) {
  SamplesWithoutRoot(kind).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace jprof
