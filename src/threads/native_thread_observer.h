// NativeThreadObserver: is called at the start and at the end of each thread that native code
// creates, on that thread.
//
// Both functions are called outside handlers, with the profiling signals blocked and cancellation
// disabled; the caller preserves errno. They run on the thread's own stack, which may be as small
// as 16 KiB, and on any number of threads at once.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

class NativeThreadObserver {
 public:
  virtual ~NativeThreadObserver() = default;

  // Before the thread's routine. `created_ns` (CLOCK_MONOTONIC): the time of the call that created
  // the thread.
  virtual void OnNativeThreadStart(Nanos created_ns) = 0;

  // At the end of the thread by return, pthread_exit or cancellation: after the destructors of its
  // C++ thread-local objects and the first round of destructors of its pthread keys. The profiling
  // signals stay blocked until the thread's last instruction. Also called for a thread whose start
  // was announced to an earlier observer.
  virtual void OnNativeThreadEnd() = 0;
};

}  // namespace jprof
