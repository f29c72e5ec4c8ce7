// SignalThread: sends a signal with the cookie of a slot to one thread of this process.
// BlocksSignal: tells whether a thread blocks a signal. Thread-safe; not for handlers.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Sends `signal` to the thread. Returns false if the thread has ended, or if the signal is a
// real-time signal and the queue of signals is full. If the queue is full, a signal below SIGRTMIN
// arrives without its cookie.
bool SignalThread(Tid tid, int signal, uint32_t slot_index);

// True if the thread's signal mask blocks `signal`, or if the kernel does not report the mask.
// False if only our own handler, which is running, blocks the signal. Reads a file.
bool BlocksSignal(const ThreadSlot& thread, int signal);

}  // namespace jprof
