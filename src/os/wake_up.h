// WakeUp: wakes the profiler's thread that waits for it, from any thread of the program.
//
// A futex and not an eventfd: Call needs no file descriptor, which the program could have closed
// and opened again as its own. It takes no lock, allocates nothing and changes no errno.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class WakeUp {
 public:
  constexpr WakeUp() = default;
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // Any thread. After the end of the waiting thread the call has no effect.
  void Call();

  // The number of calls so far, for WaitUntil.
  uint32_t calls() const { return calls_.load(std::memory_order_acquire); }

  // Sleeps until there are more than `seen` calls (true) or until `deadline_ns` on CLOCK_MONOTONIC
  // (false). One thread at a time.
  bool WaitUntil(Nanos deadline_ns, uint32_t seen) const;

 private:
  std::atomic<uint32_t> calls_{0};
};

}  // namespace jprof
