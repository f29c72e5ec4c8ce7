// ActivityAt, Refined: the activity of a thread that a wall signal has interrupted, first from its
// registers, then from the VM and the clocks.
//
//   registers                    then
//   in a system call   futex …   the reason known to the VM: a monitor, Object.wait, park
//                      read …    I/O
//                      other     asleep
//   anywhere else                ran since the engine looked at it, or waited for a CPU
//
// Async-signal-safe; called on the interrupted thread, before any guard is taken: both functions
// make system calls when no cheaper source shows the activity.
#pragma once

#include <ucontext.h>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Returns kRunning, kInIo or kSleeping.
ThreadActivity ActivityAt(const ucontext_t* context);

// Returns the activity as refined by the VM's state of the thread and by the clocks. `faults` is
// the mode of guarded loads on this thread now.
ThreadActivity Refined(ThreadActivity activity, const ThreadSlot& thread, const HotspotLayout* vm,
                       LoadFaults faults);

}  // namespace jprof
