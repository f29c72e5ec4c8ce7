// Signals to one thread of this process. SignalThread sends a signal with the cookie of a slot; our
// handler recognizes the signal by the cookie. BlocksSignal tests whether a thread blocks a signal.
// ThreadPrimer makes running threads adopt their slots.
//
// SignalThread and BlocksSignal are thread-safe; not for handlers.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/result.h"
#include "os/signal_action.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Sends `signal` to the thread. Returns false if the thread has ended, or if the signal is a
// real-time signal and the queue of signals is full. With a full queue, a signal below SIGRTMIN is
// sent without its cookie.
bool SignalThread(Tid tid, int signal, uint32_t slot_index);

// True if the thread's signal mask blocks `signal`, unless it does so only because our own handler
// is running. Also true if the kernel does not report the mask. Reads a file.
bool BlocksSignal(const ThreadSlot& thread, int signal);

// ThreadPrimer sends a signal to running threads that have not adopted their slots yet.
//
// A thread adopts its slot by storing the slot's address in its thread-local variable, in the
// handler of the signal. Without priming, a thread that was found by a scan adopts its slot in the
// handler of its first sample. Callers prime only threads that are running, so that no sleeping
// thread is woken. The signal is a real-time signal for which the program has no handler.
//
// Used by one thread at a time, not in handlers.
class ThreadPrimer {
 public:
  // Installs our handler for a free real-time signal. Returns an Error if every real-time signal
  // has a handler.
  static Result<std::unique_ptr<ThreadPrimer>> Start();

  // Sends the signal. Returns false if the thread has ended, or if the queue of signals is full;
  // the caller may try again later.
  bool Prime(const ThreadSlot& thread) const;

  int signal() const { return signal_; }

 private:
  ThreadPrimer(int signal, SignalAction action) : signal_(signal), action_(std::move(action)) {}

  const int signal_;
  SignalAction action_;
};

}  // namespace jprof
