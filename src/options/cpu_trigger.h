// CpuTrigger: the source of the interrupts of a thread that uses CPU time.
// KernelFrames: whether stacks include kernel frames.
#pragma once

namespace jprof {

enum class CpuTrigger {
  kBest,  // a request only: the cheapest of the others that honours the interval
  kThreadTimers,
  kPerfEvents,
  kProcessTimer,
};

enum class KernelFrames : bool { kNo, kYes };

}  // namespace jprof
