// CPU time that is due without a signal, because the thread blocks the signal or has no trigger.
// The time is counted as lost: the thread's last stack does not stand for it. A thread can also be
// late because it stays in the kernel or its handler is throttled (cpu_sampling.h): its next sample
// stands for that time.
//
// The kernel blocks the signal for a handler before the handler's first instruction, and can
// preempt the thread there: for a moment, or for long on a busy machine, such a thread looks like
// one that blocks the signal. So the mask of a sleeping thread, which is in no handler, is believed
// at once; the mask of a runnable thread is read twice, and the thread must have run in between.
//
// Not for handlers.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// True if more time is due at `cpu_ns` on the thread's CPU clock than a working trigger leaves. The
// kernel checks timers at its ticks.
bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// True if the signal is pending on the calling thread.
bool SignalWaitsForThisThread(int signal);

// Counts the time that is due at `cpu_ns` as lost.
void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// Caps the time that SerialsOfBlockingThreads sleeps, whatever the number of threads.
inline constexpr Nanos kLongestLook = 20'000'000;

// Returns the serials of the threads in `threads` that block `signal`. A runnable thread that did
// not get to run within kLongestLook is not among them: a later call decides. Reads files, and
// sleeps.
std::unordered_set<uint32_t> SerialsOfBlockingThreads(const std::vector<const ThreadSlot*>& threads,
                                                      int signal);

}  // namespace jprof
