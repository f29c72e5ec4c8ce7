// OffThreadSamples: samples that were made by another thread than the sampled one, on their way to
// the recorder.
//
// Such a sample has the stack of an earlier sample, which can be of an earlier epoch
// (call_traces/call_trace_rotation.h): KeepLive keeps that stack. Thread-safe; not for handlers.
// Bounded: the weight of a sample that finds no room is added to the thread's losses.
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

  // Returns how many samples of a kind an engine will push later for time that has already passed,
  // for example for a sleep that has not ended. The samples are counted as in RecordingSummary.
  using CountLater = std::function<uint64_t()>;
  // Sets the function for `kind`; nullptr if no such samples will come. After the return the
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
