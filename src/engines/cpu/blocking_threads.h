// Threads that keep our signal from interrupting them.
//
// The kernel blocks the signal for a handler before the handler's first instruction, and may
// preempt the thread there: for a moment, or for long on a busy machine, that looks like a thread
// that blocks the signal. So a thread that sleeps is believed at once, for it is in no handler; of
// a thread that may run the mask is read twice, and the thread has run in between.
//
// Not for handlers.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// CPU time that is due without a signal: the thread blocks the signal, or has no trigger. The time
// is counted as lost, because the thread's last stack does not stand for it.
//
// Not for handlers. A thread may also be late while it stays in the kernel or its handler is
// throttled (cpu_sampling.h): its next sample stands for that time.

// Whether more time is due at `cpu_ns` on the thread's CPU clock than a working trigger leaves. The
// kernel checks timers at its ticks.
bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// Whether the signal is pending on the calling thread.
bool SignalWaitsForThisThread(int signal);

// Counts the time due at `cpu_ns` as lost.
void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// The serials of those of `threads` that block `signal`. A thread that did not get to run in
// kLongestLook is not among them: a later look decides. Reads files, and sleeps for kLongestLook at
// most, whatever the number of threads.
inline constexpr Nanos kLongestLook = 20'000'000;
std::unordered_set<uint32_t> SerialsOfBlockingThreads(const std::vector<const ThreadSlot*>& threads,
                                                      int signal);

}  // namespace jprof
