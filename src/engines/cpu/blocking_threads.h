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

#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The serials of those of `threads` that block `signal`. A thread that did not get to run in
// kLongestLook is not among them: a later look decides. Reads files, and sleeps for kLongestLook at
// most, whatever the number of threads.
inline constexpr Nanos kLongestLook = 20'000'000;
std::unordered_set<uint32_t> SerialsOfBlockingThreads(const std::vector<const ThreadSlot*>& threads,
                                                      int signal);

}  // namespace jprof
