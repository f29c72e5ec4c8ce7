// TimeInHandler: adds the duration of a handler to the thread's counters. Elapsed time, because a
// read of the CPU clock would cost more than the handler: time without the processor is included.
//
// Async-signal-safe. An object of one handler, on the sampled thread.
#pragma once

#include "sigsafe/os/clock.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class TimeInHandler {
 public:
  explicit TimeInHandler(ThreadSlot& thread) : thread_(thread), start_ns_(MonotonicNanos()) {
    thread_.in_handler.store(true, std::memory_order_relaxed);
  }
  TimeInHandler(const TimeInHandler&) = delete;
  TimeInHandler& operator=(const TimeInHandler&) = delete;

  // Counts the time so far as that of a walk.
  void AddWalk() {
    thread_.walk_ns.fetch_add(static_cast<uint64_t>(Elapsed()), std::memory_order_relaxed);
  }

  // Returns the time since the construction. Called once.
  Nanos End() {
    const Nanos elapsed_ns = Elapsed();
    thread_.in_handler.store(false, std::memory_order_relaxed);
    thread_.handler_ns.fetch_add(static_cast<uint64_t>(elapsed_ns), std::memory_order_relaxed);
    return elapsed_ns;
  }

 private:
  Nanos Elapsed() const { return MonotonicNanos() - start_ns_; }

  ThreadSlot& thread_;
  const Nanos start_ns_;
};

}  // namespace jprof
