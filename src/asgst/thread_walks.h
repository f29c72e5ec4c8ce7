// ThreadWalks asks other threads for their frames (ASGST_RunWithIteratorOfThread).
//
// The asked thread gets a real-time signal for which the program has no handler, walks itself, and
// goes on. It waits for nothing.
//
// Thread-safe, not for handlers. There is one object per process; it is never destroyed.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "os/signal_action.h"
#include "sigsafe/asgst/thread_requests.h"

namespace jprof::asgst {

class ThreadWalks {
 public:
  // The longest wait for an answer. An answer takes some ten microseconds, but the thread needs a
  // processor.
  static constexpr Nanos kPatience = 100'000'000;

  static ThreadWalks& OfProcess();

  // Asks the thread, and calls use(answer). Returns the kind of the stack, or the reason why there
  // is none; `use` is then not called.
  int32_t Ask(Tid tid, int32_t options,
              const std::function<void(const ThreadRequests::Answer&)>& use);

  // Removes the handler of the signal. Called when no use of the API is left.
  void Stop();

 private:
  // Installs the handler, if it is not installed. Returns false if no signal is free. REQUIRES:
  // mutex_ is held.
  bool Install();
  // Sends the signal. Returns 0 or an errno.
  int Send(Tid tid, uint64_t cookie);

  // Guards all below. It is held while a signal is sent: a real-time signal without a handler would
  // end the process.
  std::mutex mutex_;
  int signal_ = 0;  // 0: no handler is installed
  SignalAction action_;
  bool has_memory_ = false;
};

}  // namespace jprof::asgst
