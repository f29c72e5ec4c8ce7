// HandlerThrottle: leaves a thread at least as much CPU time as its last cpu sample took. A handler
// that takes longer than an interval (a deep stack, a short interval) would otherwise find the next
// signal pending at every return, and the thread would make no progress.
//
// The time of refused samples stays due and goes to the next sample (cpu_accounting.h). No cost
// while handlers are short: the CPU clock is read from the first long handler on, until a handler
// is short again.
//
// Async-signal-safe. An object of one handler, on the sampled thread.
#pragma once

#include "sigsafe/os/clock.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class HandlerThrottle {
 public:
  static constexpr Nanos kLongNs = 10'000;

  explicit HandlerThrottle(ThreadSlot& thread)
      : thread_(thread),
        throttled_until_ns_(thread.cpu_throttled_until_ns.load(std::memory_order_relaxed)),
        begin_ns_(throttled_until_ns_ == 0 ? 0 : ThreadCpuNanos()) {}

  // Whether the sample has to be refused.
  bool IsThrottled() const { return begin_ns_ < throttled_until_ns_; }

  // The sample has been taken. `elapsed_ns`: since the beginning.
  void End(Nanos elapsed_ns) {
    if (elapsed_ns < kLongNs) {
      if (throttled_until_ns_ != 0) Set(0);
      return;
    }
    const Nanos now_ns = ThreadCpuNanos();
    const Nanos used_ns = begin_ns_ == 0 ? 0 : now_ns - begin_ns_;
    Set(used_ns < kLongNs ? now_ns : now_ns + used_ns);
  }

 private:
  void Set(Nanos until_ns) {
    thread_.cpu_throttled_until_ns.store(until_ns, std::memory_order_relaxed);
  }

  ThreadSlot& thread_;
  const Nanos throttled_until_ns_;
  const Nanos begin_ns_;
};

}  // namespace jprof
