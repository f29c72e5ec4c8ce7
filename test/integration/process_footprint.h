// ProcessFootprint: the numbers in which a leak of a process would show, as the kernel counts them.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace jprof::test {

struct ProcessFootprint {
  int64_t resident_kb = 0;
  int64_t threads = 0;
  int64_t files = 0;
  int64_t mappings = 0;
  int64_t timers = 0;           // POSIX timers; 0 if the kernel does not list them
  int64_t pending_signals = 0;  // signals queued for the user that the process runs as

  static ProcessFootprint Of(pid_t pid);
};

}  // namespace jprof::test
