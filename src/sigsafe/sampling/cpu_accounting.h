// The CPU time that a cpu sample stands for, in whole intervals.
//
// A thread's CPU clock is cut at a random point of the first interval and then once per interval. A
// sample stands for the cuts since the thread's previous sample, by the thread's clock, not by the
// kernel's count of expiries: timers are checked at the kernel's ticks, and signals may be delayed
// or merged. The time that remains at the thread's end is accounted for there (RecordThreadEnd). So
//  1. the weights of a thread add up to its CPU clock to within one interval;
//  2. a thread that uses less than an interval is sampled with a probability proportional to its
//     CPU time.
//
// Async-signal-safe. Called on the sampled thread, under the guard, and by the engine after its
// stop: the first caller accounts for a cut.
#pragma once

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The nanoseconds of the intervals that end at cuts up to `cpu_ns` on the thread's CPU clock and
// have not been accounted for. REQUIRES: the engine has set the thread's first cut (cpu_due_ns !=
// 0); interval_ns > 0.
inline uint64_t AccountCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  JPROF_CHECK(due_ns != 0 && interval_ns > 0);
  if (cpu_ns < due_ns) return 0;
  const Nanos weight_ns = ((cpu_ns - due_ns) / interval_ns + 1) * interval_ns;
  const bool first = thread.cpu_due_ns.compare_exchange_strong(due_ns, due_ns + weight_ns,
                                                               std::memory_order_relaxed);
  return first ? static_cast<uint64_t>(weight_ns) : 0;
}

}  // namespace jprof
