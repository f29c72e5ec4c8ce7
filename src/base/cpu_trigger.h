// CpuTrigger: what interrupts a thread that uses CPU time.
// KernelFrames: whether stacks begin in the kernel, where they do.
#pragma once

namespace jprof {

enum class CpuTrigger {
  kBest,  // as a request: the cheapest of the others that honours the interval
  kThreadTimers,
  kPerfEvents,
  kProcessTimer,
};

enum class KernelFrames : bool { kNo, kYes };

}  // namespace jprof
