// BreakpointBudget: how many calls of functions a recording can afford to see by breakpoints.
//
// A call costs the program an exception of the processor and a signal, 3 to 50 us of CPU time. The
// budget allows kPerSecond of them for as long as the recording lasts, and kBurst at once.
//
// One thread at a time.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class BreakpointBudget {
 public:
  static constexpr int64_t kPerSecond = 2000;
  static constexpr int64_t kBurst = 5000;

  explicit BreakpointBudget(Nanos start_ns) : seen_ns_(start_ns) {}

  // True if the budget covers `calls`, which is the number since the start. False forever once it
  // does not.
  bool Covers(uint64_t calls, Nanos now_ns);

 private:
  static constexpr Nanos kCallNs = kNanosPerSecond / kPerSecond;

  Nanos seen_ns_;
  uint64_t seen_calls_ = 0;
  Nanos left_ns_ = kBurst * kCallNs;  // the calls that are left, as time: kCallNs a call
  bool is_spent_ = false;
};

}  // namespace jprof
