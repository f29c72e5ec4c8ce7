// ThreadLosses collects, for each thread, the weights of samples that handlers could not record.
//
// Signal handlers add the weights to counters in the slot of the thread. Before another thread gets
// the slot, Collect moves the weights into a list of ThreadLoss, with the serial of the thread.
// ThreadLosses is a part of ThreadRoster and is guarded by the registry's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The summed weight of a thread's samples of one kind that could not be recorded for one reason.
struct ThreadLoss {
  uint32_t serial;
  Tid tid;
  SampleKind kind;
  LostReason reason;
  uint64_t weight;  // in the unit of the kind
};

class ThreadLosses {
 public:
  // The largest number of weights that are kept between two calls to Take. Further weights are
  // added to LostWithoutThread, so that totals stay correct.
  static constexpr size_t kMaxWaiting = 1 << 18;

  explicit ThreadLosses(size_t max_waiting = kMaxWaiting) : max_waiting_(max_waiting) {}

  // Moves the weights out of the counters of `slot`. Weights that a handler adds meanwhile are
  // collected by the next call.
  void Collect(ThreadSlot& slot) {
    for (size_t i = 0; i < kSampleLossCount; ++i) {
      std::atomic<uint64_t>& lost = slot.lost[i];
      if (lost.load(std::memory_order_relaxed) == 0) continue;
      // acquire, paired with the release in AddLost: the serial and tid of the slot were written
      // before the weight was added.
      const uint64_t weight = lost.exchange(0, std::memory_order_acquire);
      const SampleLoss& loss = kSampleLosses[i];
      if (losses_.size() >= max_waiting_) {
        LostWithoutThread(loss.kind).fetch_add(weight, std::memory_order_relaxed);
        continue;
      }
      losses_.push_back({slot.serial.load(std::memory_order_relaxed),
                         slot.tid.load(std::memory_order_relaxed), loss.kind, loss.reason, weight});
    }
  }

  // Returns the weights collected since the last call.
  std::vector<ThreadLoss> Take() { return std::exchange(losses_, {}); }

 private:
  const size_t max_waiting_;
  std::vector<ThreadLoss> losses_;
};

}  // namespace jprof
