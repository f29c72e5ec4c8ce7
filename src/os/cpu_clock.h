// The CPU clocks of the threads of this process, and the kernel's tick.
//
// Thread-safe.
#pragma once

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof {

// Returns the time between two ticks of the kernel, which checks CPU timers at each tick: 4 ms at
// HZ 250.
Nanos KernelTickNanos();

clockid_t CpuClockOf(Tid tid);

// Returns the CPU time that the thread has used; 0 after it has exited. Costs one system call,
// about 200 ns.
Nanos TaskCpuNanos(Tid tid);

}  // namespace jprof
