// The CPU time of threads, and a way to spend it.
#pragma once

#include <pthread.h>

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof::test {

inline Nanos CpuNanosOf(pthread_t thread) {
  clockid_t clock;
  timespec time{};
  if (pthread_getcpuclockid(thread, &clock) == 0) clock_gettime(clock, &time);
  return static_cast<Nanos>(time.tv_sec) * kNanosPerSecond + time.tv_nsec;
}

// Computes on the calling thread until it has used `nanos` more CPU time.
inline void BurnCpu(Nanos nanos) {
  const Nanos end = CpuNanosOf(pthread_self()) + nanos;
  volatile unsigned work = 0;
  while (CpuNanosOf(pthread_self()) < end) {
    for (int i = 0; i < 2000; ++i) work = work + 1;
  }
}

// Computes on the calling thread until `done()`, for at most a minute of CPU time. This can take
// long on a busy machine, because the kernel looks at a thread's timers only at ticks.
template <typename Condition>
void BurnUntil(Condition&& done) {
  const Nanos end = CpuNanosOf(pthread_self()) + 60 * kNanosPerSecond;
  while (!done() && CpuNanosOf(pthread_self()) < end) BurnCpu(1'000'000);
}

}  // namespace jprof::test
