// PrimingCounts: how the threads of a session came to be known, and how soon.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/types.h"

namespace jprof {

// From threads' creation until they were registered.
struct PrimeLatency {
  uint64_t threads = 0;
  Nanos total_ns = 0;
  Nanos max_ns = 0;

  void Add(Nanos latency_ns) {
    latency_ns = std::max<Nanos>(latency_ns, 0);
    ++threads;
    total_ns += latency_ns;
    max_ns = std::max(max_ns, latency_ns);
  }
};

struct PrimingCounts {
  std::array<uint64_t, kPrimingPathCount> threads{};  // by path
  // By path, of threads with a known time of creation: for the hook from the call that creates
  // the thread on; for the watcher to a clock tick, in which the kernel tells when it started.
  std::array<PrimeLatency, kPrimingPathCount> latency{};
  uint64_t signals = 0;       // that made a running thread adopt its record
  uint64_t java_threads = 0;  // that live now; the other records are those of native threads
  uint64_t records_in_use = 0;
  uint64_t records_recycled = 0;  // times that a record went to another thread, in this process
};

}  // namespace jprof
