// ActivityAt, Refined: the activity of a thread that a wall signal has interrupted, first from its
// registers, then from the VM and the clocks.
//
//   registers                    then
//   in a system call   futex …   the reason known to the VM: a monitor, Object.wait, park
//                      read …    I/O
//                      other     asleep
//   anywhere else                it ran since the engine sent the signal, or waited for a CPU
//
// Async-signal-safe. Called on the interrupted thread, before a guard is entered, because both
// functions make system calls if the activity cannot be determined more cheaply.
#pragma once

#include <ucontext.h>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Returns kRunning, kInIo or kSleeping.
ThreadActivity ActivityAt(const ucontext_t* context);

// Returns a more exact activity, from the thread's state in the VM and from the clocks. `activity`
// is the result of ActivityAt; `faults` says whether guarded loads may be used now.
ThreadActivity Refined(ThreadActivity activity, const ThreadSlot& thread, const HotspotLayout* vm,
                       LoadFaults faults);

}  // namespace jprof
