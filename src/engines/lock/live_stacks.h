// LiveStacks keeps the stacks of threads that hold locks, from the moment at which they are taken
// until the samples that name them are written. Such a wait can last longer than the epoch of the
// stack (call_traces/call_trace_rotation.h).
//
// A stack is kept for the epoch in which Keep was called last, and for the next one: the wait can
// end in the last moment of an epoch, and its sample is then written at the end of the next one.
// So the looker (holder_looks.h) calls Keep again in each epoch, for the stacks of waits that go
// on.
//
// Thread-safe. Not for signal handlers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "call_traces/preserved_call_traces.h"
#include "sigsafe/base/types.h"

namespace jprof {

class LiveStacks {
 public:
  // While the lock is held, no rotation drops a stack that is in an active table.
  std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }

  // REQUIRES: the caller holds the lock.
  void Keep(CallTraceId trace) { last_[Value(trace)] = rotations(); }
  // True if the stack is kept. REQUIRES: the caller holds the lock.
  bool IsKept(CallTraceId trace) const { return last_.contains(Value(trace)); }

  // Names the stacks to keep, at the end of an epoch. Called on the recorder's thread.
  void AtRotation(LiveCallTraces& live) {
    const std::lock_guard lock(mutex_);
    const uint32_t now = rotations();
    std::erase_if(last_, [now](const auto& entry) { return entry.second + 1 < now; });
    for (const auto& [trace, last] : last_) live.Keep(CallTraceId{trace});
    rotations_.store(now + 1, std::memory_order_relaxed);
  }

  // Returns the number of calls of AtRotation.
  uint32_t rotations() const { return rotations_.load(std::memory_order_relaxed); }

 private:
  std::mutex mutex_;                             // guards last_
  std::unordered_map<uint64_t, uint32_t> last_;  // rotations() at the last Keep, by trace
  std::atomic<uint32_t> rotations_{1};           // relaxed: a plain counter
};

}  // namespace jprof
