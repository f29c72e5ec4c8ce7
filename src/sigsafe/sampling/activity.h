// The activity of a thread that a wall signal has interrupted: first by its registers, then by the
// VM and the clocks.
//
//   registers                    then
//   in a system call   futex …   the VM tells the reason: a monitor, Object.wait, park
//                      read …    I/O
//                      other     asleep
//   anywhere else                ran since the engine looked at it, or waited for a CPU
//
// Async-signal-safe; on the interrupted thread.
#pragma once

#include <ucontext.h>

#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/profiled_thread.h"
#include "sigsafe/threads/thread_activity.h"

namespace jprof {

// kRunning, kInIo or kSleeping.
ThreadActivity ActivityAt(const ucontext_t* context);

ThreadActivity Refined(ThreadActivity activity, const ProfiledThread& thread,
                       const SamplingState& state);

}  // namespace jprof
