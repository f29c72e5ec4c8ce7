// SignalThread: sends one of our signals to one thread of this process, with the cookie of its
// record.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

// False where the queue of signals is full or the thread is gone. Thread-safe.
bool SignalThread(Tid tid, int signal, uint32_t record_index);

}  // namespace jprof
