// CpuTrigger: what interrupts a thread that uses CPU time.
#pragma once

namespace jprof {

enum class CpuTrigger {
  kBest,  // as a request: the cheapest of the others that honours the interval
  kThreadTimers,
  kPerfEvents,
  kProcessTimer,
};

}  // namespace jprof
