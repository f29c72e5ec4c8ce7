// OffThreadSamples: holds samples that were made by another thread than the sampled one, until the
// recorder takes them.
//
// Such a sample has the stack of an earlier sample. That stack can be of an earlier epoch
// (call_traces/call_trace_rotation.h), so KeepLive keeps it. Thread-safe; not for handlers.
// Bounded: if there is no room for a sample, its weight is added to the thread's losses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "call_traces/preserved_call_traces.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class OffThreadSamples {
 public:
  static constexpr size_t kCapacity = 65536;

  void Push(ThreadSlot& thread, const Sample& sample);

  // Removes the samples with stacks of epochs up to `last_epoch` and calls visit(sample) for each.
  // `visit` may take any lock.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    for (const Sample& sample : Take(last_epoch)) visit(sample);
  }

  void KeepLive(LiveCallTraces& live) const;

  // Returns the number of samples that an engine has yet to push for time that has already passed,
  // for example for a sleep that has not ended. The samples are counted as in RecordingSummary.
  using CountLater = std::function<uint64_t()>;
  // Sets the function for `kind`; nullptr if no such samples will be pushed. After the return the
  // previous function is not called any more. REQUIRES: the caller holds no lock that the previous
  // function takes.
  void SetLater(SampleKind kind, CountLater count);
  uint64_t Later(SampleKind kind) const;

 private:
  std::vector<Sample> Take(uint32_t last_epoch);

  mutable std::mutex mutex_;  // guards samples_
  std::vector<Sample> samples_;
  mutable std::mutex later_mutex_;  // guards later_, and is held while its functions run
  std::array<CountLater, kSampleKindCount> later_;
};

// Returns a sample of `kind` that ends at `time_ns` and has the thread's last stack of this kind.
// REQUIRES: the kind is counted in intervals (IsCutIntoIntervals); no handler changes the thread's
// last stack meanwhile.
Sample SampleOfLastStack(const ThreadSlot& thread, SampleKind kind, uint64_t weight, Nanos time_ns);

}  // namespace jprof
