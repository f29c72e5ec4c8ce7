// The CPU clock of any thread of this process. Thread-safe.
#pragma once

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof {

// KernelTickNanos: the time between two ticks of the kernel, which checks CPU timers at each tick.
// 4 ms at HZ 250. Thread-safe.

Nanos KernelTickNanos();

clockid_t CpuClockOf(Tid tid);

// CPU time that the thread has used; 0 after it has exited. One system call, about 200 ns.
Nanos TaskCpuNanos(Tid tid);

}  // namespace jprof
