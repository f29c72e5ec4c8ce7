// PrimingCounts: how the threads of a session came to be known.
#pragma once

#include <array>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/priming_path.h"

namespace jprof {

struct PrimingCounts {
  std::array<uint64_t, kPrimingPathCount> threads{};  // by path
  uint64_t signals = 0;                               // that made a running thread adopt its record
  Nanos watcher_latency_ns = 0;  // from a thread's start until the watcher found it, summed up
  uint64_t records_in_use = 0;
  uint64_t records_recycled = 0;  // times that a record went to another thread
};

}  // namespace jprof
