// PrimingCounts: by which path the threads of a run became known to the registry, and how soon
// after their creation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The time from the creation of a thread to its registration.
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
  // By path, of threads with a known time of creation: for the hook, the time of the call that
  // created the thread; for the watcher, the start time from the kernel, in clock ticks.
  std::array<PrimeLatency, kPrimingPathCount> latency{};
  uint64_t signals = 0;         // priming signals sent in this run of the sampler (thread_primer.h)
  uint64_t java_threads = 0;    // live now
  uint64_t slots_in_use = 0;    // by live threads, Java and native
  uint64_t slots_recycled = 0;  // claims of slots that had been used before, in this process
};

}  // namespace jprof
