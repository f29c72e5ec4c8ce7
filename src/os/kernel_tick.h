// KernelTickNanos: the time between two ticks of the kernel, which checks CPU timers at each tick.
// 4 ms at HZ 250. Thread-safe.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

Nanos KernelTickNanos();

}  // namespace jprof
