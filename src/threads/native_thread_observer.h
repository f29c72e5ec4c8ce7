// NativeThreadObserver: hears of threads that the process creates, on these threads themselves.
//
// Both calls are made in normal context (never in a handler), with the profiling signals blocked
// and cancellation off, errno kept. They use the thread's own stack, which may be as small as
// 16 KiB, and may come from any number of threads at once.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

class NativeThreadObserver {
 public:
  virtual ~NativeThreadObserver() = default;

  // Before the thread's routine. `created_ns` (CLOCK_MONOTONIC): when its creation began.
  virtual void OnNativeThreadStart(Nanos created_ns) = 0;

  // However the thread ends: by return, pthread_exit or cancellation. After the destructors of its
  // C++ thread-locals and the first round of those of its pthread keys; the profiling signals stay
  // blocked from here to its last instruction. Also called for a thread that an earlier observer
  // has seen start.
  virtual void OnNativeThreadEnd() = 0;
};

}  // namespace jprof
