// SearchBudget: how much of a processor searches may take: a hundredth in the long run, and
// kBurst at once.
//
// Thread-safe, without a lock.
#pragma once

#include <algorithm>
#include <atomic>

#include "sigsafe/base/types.h"

namespace jprof {

class SearchBudget {
 public:
  static constexpr Nanos kBurst = 10'000'000;  // ns of searching
  static constexpr Nanos kShare = 100;

  // Whether a search may begin.
  bool Allows(Nanos now_ns) const {
    return paid_at_ns_.load(std::memory_order_relaxed) < now_ns + kBurst * kShare;
  }

  // After a search that took so much time of a processor.
  void Spend(Nanos now_ns, Nanos spent_ns) {
    Nanos seen = paid_at_ns_.load(std::memory_order_relaxed);
    while (!paid_at_ns_.compare_exchange_weak(seen, std::max(seen, now_ns) + spent_ns * kShare,
                                              std::memory_order_relaxed)) {
    }
  }

 private:
  // When all that was spent is a hundredth of the time since. Relaxed: nothing depends on it.
  std::atomic<Nanos> paid_at_ns_{0};
};

}  // namespace jprof
