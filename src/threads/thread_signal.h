// Our signals and one thread of this process: sends one with the cookie of its record; asks whether
// the thread lets it through. Thread-safe; not for handlers.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// False where the thread is gone or, of a real-time signal, the queue of signals is full; any other
// arrives without its cookie then.
bool SignalThread(Tid tid, int signal, uint32_t record_index);

// Whether the thread keeps `signal` from interrupting it, which our handlers do not count as. True
// where the kernel does not tell. Reads a file.
bool BlocksSignal(const ProfiledThread& thread, int signal);

}  // namespace jprof
