// CPU time that is due without a signal: the thread blocks the signal, or has no trigger. The time
// is counted as lost, because the thread's last stack does not stand for it.
//
// Not for handlers. A thread may also be late while it stays in the kernel or its handler is
// throttled (handler_throttle.h): its next sample stands for that time.
#pragma once

#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Whether more time is due at `cpu_ns` on the thread's CPU clock than a working trigger leaves. The
// kernel checks timers at its ticks.
bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// Whether the signal is pending on the calling thread.
bool SignalWaitsForThisThread(int signal);

// Counts the time due at `cpu_ns` as lost.
void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

}  // namespace jprof
