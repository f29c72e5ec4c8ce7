// OffThreadSamples: samples that were not made by a handler on the sampled thread, on their way to
// the recorder.
//
// Their stacks are those of earlier samples, also of earlier epochs: KeepLive names them.
// Thread-safe; not for handlers. Bounded: a sample that finds no room is added to the thread's
// losses.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/profiled_thread.h"
#include "traces/preserved_traces.h"

namespace jprof {

class OffThreadSamples {
 public:
  static constexpr size_t kCapacity = 65536;

  void Push(ProfiledThread& thread, const Sample& sample);

  // Calls visit(sample) for each whose stack is of an epoch up to `last_epoch`; the visitor may
  // take any lock.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    for (const Sample& sample : Take(last_epoch)) visit(sample);
  }

  void KeepLive(LiveTraces& live) const;

 private:
  std::vector<Sample> Take(uint32_t last_epoch);

  mutable std::mutex mutex_;
  std::vector<Sample> samples_;
};

// A sample of `kind` with the thread's last stack of that kind, for time that passed until
// `time_ns`. REQUIRES: the thread's handlers do not change that stack meanwhile.
Sample SampleOfLastStack(const ProfiledThread& thread, SampleKind kind, uint64_t weight,
                         Nanos time_ns);

}  // namespace jprof
