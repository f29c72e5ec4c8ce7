// OffThreadSamples: samples that were made by another thread than the sampled one, on their way to
// the recorder.
//
// They have stacks of earlier samples, which can be of earlier epochs: KeepLive keeps these stacks.
// Thread-safe; not for handlers. Bounded: the weight of a sample that finds no room is added to the
// thread's losses.
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
  // The visitor can take any lock.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    for (const Sample& sample : Take(last_epoch)) visit(sample);
  }

  void KeepLive(LiveCallTraces& live) const;

  // Returns the samples of a kind that are not made yet and stand for time up to now, counted as in
  // RecordingSummary.
  using CountLater = std::function<uint64_t()>;
  // Sets the function for `kind`; nullptr for a kind without such samples. The previous function is
  // not called any more. REQUIRES: the caller holds no lock that the function takes.
  void SetLater(SampleKind kind, CountLater count);
  uint64_t Later(SampleKind kind) const;

 private:
  std::vector<Sample> Take(uint32_t last_epoch);

  mutable std::mutex mutex_;  // guards samples_
  std::vector<Sample> samples_;
  mutable std::mutex later_mutex_;  // guards later_, even while a function runs
  std::array<CountLater, kSampleKindCount> later_;
};

// Returns a sample of `kind` with the thread's last stack of that kind, for time up to `time_ns`.
// REQUIRES: the kind is cut into intervals; the thread's handlers do not change that stack
// meanwhile.
Sample SampleOfLastStack(const ThreadSlot& thread, SampleKind kind, uint64_t weight, Nanos time_ns);

}  // namespace jprof
