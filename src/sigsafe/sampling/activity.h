// Both functions determine the activity of a thread that a wall signal has interrupted. ActivityAt
// reads the thread's registers. Refined starts from the result of ActivityAt, and reads the state
// of the VM and the clocks.
//
//   ActivityAt                          Refined
//   in a system call for I/O (read …)   in I/O
//   in another system call (futex …)    the reason known to the VM (a monitor, Object.wait, park),
//                                       else asleep
//   in no system call                   running, or waiting for a CPU since the signal was sent
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
