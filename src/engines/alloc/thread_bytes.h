// BytesReading: the exact counters of threads (allocated_bytes.h), as of one moment.
#pragma once

#include <cstdint>
#include <vector>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

struct ThreadBytes {
  uint32_t number;  // of the thread, from its attachment to its end; > 0
  SampledThread thread;
  uint64_t address;         // of the VM's thread: its first gap depends on it
  uint64_t bytes;           // since the thread's start
  uint32_t key = 0;         // in the open chunk; 0: not looked up
  bool is_carrier = false;  // has been sampled in a virtual thread
};

struct BytesReading {
  Nanos time_ns = 0;
  std::vector<ThreadBytes> found;    // since the reading before: ran already
  std::vector<ThreadBytes> running;  // all, or empty
  std::vector<ThreadBytes> ended;    // since the reading before
};

}  // namespace jprof
