#include "engines/window/breakpoint_budget.h"

#include <algorithm>

namespace jprof {

bool BreakpointBudget::Covers(uint64_t calls, Nanos now_ns) {
  constexpr Nanos kMost = kBurst * kCallNs;
  left_ns_ = std::min(kMost, left_ns_ + std::max<Nanos>(0, now_ns - seen_ns_));
  const auto more = static_cast<int64_t>(std::min<uint64_t>(calls - seen_calls_, 2 * kBurst));
  left_ns_ -= more * kCallNs;
  seen_ns_ = now_ns;
  seen_calls_ = calls;
  is_spent_ |= left_ns_ < 0;
  return !is_spent_;
}

}  // namespace jprof
