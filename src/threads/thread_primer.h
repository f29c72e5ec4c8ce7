// ThreadPrimer: sends a signal to running threads that have not adopted their slot yet.
//
// A thread *adopts* its slot when it stores the slot's address in its thread-local variable.
// Without priming, a thread that was found by a scan adopts its slot in the handler of its first
// sample. Callers prime only threads that are running: a sleeping thread is never woken. The signal
// is a real-time signal for which the program has no handler.
//
// Start, Prime and the destructor are called by one thread at a time, not in handlers.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/signal_action.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class ThreadPrimer {
 public:
  // Installs our handler of a free real-time signal. An error if every real-time signal has a
  // handler.
  static Result<std::unique_ptr<ThreadPrimer>> Start();

  // Returns whether the signal has been sent. If not, the thread has ended or its queue of signals
  // is full, and the caller may try again.
  bool Prime(const ThreadSlot& thread) const;

  int signal() const { return signal_; }

 private:
  ThreadPrimer(int signal, SignalAction action) : signal_(signal), action_(std::move(action)) {}

  const int signal_;
  SignalAction action_;
};

}  // namespace jprof
