#include "engines/cpu/unsampled_cpu.h"

#include <algorithm>
#include <csignal>

#include "os/kernel_tick.h"
#include "sampling/idle_rule.h"
#include "sigsafe/sampling/cpu_accounting.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {

bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  static const Nanos tick_ns = KernelTickNanos();
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  return due_ns != 0 && cpu_ns - due_ns >= std::max(kPatience * interval_ns, 2 * tick_ns);
}

bool SignalWaitsForThisThread(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  const uint64_t weight = AccountCpuTime(thread, interval_ns, cpu_ns);
  if (weight == 0) return;
  if (Sampling().window.IsOpen()) {
    thread.AddLost(SampleKind::kCpu, LostReason::kNoSignal, weight);
  } else {
    AddOutsideWindows(SampleKind::kCpu, weight);
  }
}

}  // namespace jprof
