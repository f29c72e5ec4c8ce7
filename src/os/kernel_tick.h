// KernelTickNanos: the time between two ticks of the kernel, in which it checks CPU timers. 4 ms at
// HZ 250. Thread-safe.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

Nanos KernelTickNanos();

}  // namespace jprof
