// ThreadPrimer: owns a real-time signal that nobody uses and sends it to threads that run but do
// not know their record yet.
//
// Without it such a thread learns of its record with its first sample; with it the first sample
// finds everything in place. A thread that sleeps is never woken for that. Start, Prime and the
// destructor: one thread at a time, not in handlers.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/signal_action.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

class ThreadPrimer {
 public:
  // Fails when every real-time signal has a handler.
  static Result<std::unique_ptr<ThreadPrimer>> Start();

  // True if the signal is on its way. False where the queue of signals is full or the thread is
  // gone: it costs nothing but another attempt.
  bool Prime(const ProfiledThread& thread) const;

  int signal() const { return signal_; }

 private:
  ThreadPrimer(int signal, SignalAction action) : signal_(signal), action_(std::move(action)) {}

  const int signal_;
  SignalAction action_;
};

}  // namespace jprof
