#include "os/wake_up.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"

namespace jprof {

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4,
              "the kernel reads it");

void WakeUp::Call() {
  const ErrnoSaver errno_saver;
  calls_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &calls_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool WakeUp::WaitUntil(Nanos deadline_ns, uint32_t seen) const {
  const timespec deadline{static_cast<time_t>(deadline_ns / kNanosPerSecond),
                          static_cast<long>(deadline_ns % kNanosPerSecond)};
  while (calls() == seen) {
    if (MonotonicNanos() >= deadline_ns) return false;
    // The deadline is absolute, on CLOCK_MONOTONIC (futex(2), FUTEX_WAIT_BITSET).
    syscall(SYS_futex, &calls_, FUTEX_WAIT_BITSET_PRIVATE, seen, &deadline, nullptr,
            FUTEX_BITSET_MATCH_ANY);
  }
  return true;
}

}  // namespace jprof
