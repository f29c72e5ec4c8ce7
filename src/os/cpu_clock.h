// The CPU clocks of the threads of this process, and the kernel's tick.
//
// Thread-safe.
#pragma once

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof {

// Returns the time between two ticks of the kernel: 4 ms at HZ 250. The kernel checks CPU timers at
// its ticks.
Nanos KernelTickNanos();

// Returns the clock of the CPU time of a thread, for clock_gettime and timer_create.
clockid_t CpuClockOf(Tid tid);

// Returns the CPU time that the thread has used; 0 after it has exited. Costs one system call,
// about 200 ns.
Nanos TaskCpuNanos(Tid tid);

}  // namespace jprof
