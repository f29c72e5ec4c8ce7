// CPU time that is due and for which no signal comes: the thread blocks the signal, or has no
// trigger. That time is lost for this reason, for the thread's last stack says nothing of it.
//
// Not for handlers. A thread may be late all the same, for as long as it stays in the kernel or its
// handler is throttled (handler_throttle.h): its next sample stands for that.
#pragma once

#include "sigsafe/base/types.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// Whether more is due at `cpu_ns` on the thread's CPU clock than a trigger leaves. The kernel looks
// at timers at its ticks.
bool IsCpuTimeOverdue(const ProfiledThread& thread, Nanos interval_ns, Nanos cpu_ns);

// Whether the signal is waiting for the calling thread to let it through.
bool SignalWaitsForThisThread(int signal);

// What is due at `cpu_ns` is lost.
void LoseCpuTime(ProfiledThread& thread, Nanos interval_ns, Nanos cpu_ns);

}  // namespace jprof
