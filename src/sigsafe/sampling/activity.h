// The activity of a thread that a wall signal has interrupted: first from its registers, then from
// the VM and the clocks.
//
//   registers                    then
//   in a system call   futex …   the reason known to the VM: a monitor, Object.wait, park
//                      read …    I/O
//                      other     asleep
//   anywhere else                ran since the engine looked at it, or waited for a CPU
//
// Async-signal-safe; on the interrupted thread, before any guard is taken: both make system calls
// where no cheaper source tells the activity.
#pragma once

#include <ucontext.h>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// kRunning, kInIo or kSleeping.
ThreadActivity ActivityAt(const ucontext_t* context);

// `faults`: of guarded loads on this thread, now.
ThreadActivity Refined(ThreadActivity activity, const ThreadSlot& thread, const HotspotLayout* vm,
                       LoadFaults faults);

}  // namespace jprof
