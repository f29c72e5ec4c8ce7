// Measures what a perf_event adds to the cost of a context switch on this machine.
//
// Not for signal handlers.
#pragma once

#include <functional>
#include <optional>

#include "sigsafe/base/types.h"

namespace jprof {

// Returns the CPU time that a perf_event of the interval adds to one context switch to the thread
// that has the event, at least 100 ns. The shorter the interval, the higher is the cost: at each
// switch the kernel sets a timer, and a virtual machine takes long to set its clock to a timer that
// is the next one to expire. Returns nullopt if the machine refuses the threads, their perf_events, or
// their binding to one processor.
//
// Two threads, bound to one processor, wake each other in turn, in rounds with and without
// perf_events. The result is the mean difference. This takes 4 to 15 ms of CPU time, and at most
// half a second on a busy machine. Calls `on_start` with the id of each thread that it starts.
std::optional<Nanos> MeasureSwitchCost(Nanos interval_ns, const std::function<void(Tid)>& on_start);

}  // namespace jprof
