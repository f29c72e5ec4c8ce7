// ThreadLosses: collects the weights of samples that handlers could not record, by thread.
//
// Handlers add the weights to counters in the slot of the thread. Collect moves the weights into a
// list of ThreadLoss, with the thread's serial, before another thread gets the slot. Part of
// ThreadRoster, guarded by its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The weight of the samples of one kind of a thread that could not be recorded for one reason.
struct ThreadLoss {
  uint32_t serial;
  Tid tid;
  SampleKind kind;
  LostReason reason;
  uint64_t weight;  // in the unit of the kind
};

class ThreadLosses {
 public:
  // The most weights that are kept between two calls to Take. Further weights are added to
  // LostWithoutThread, so that totals stay correct.
  static constexpr size_t kMaxWaiting = 1 << 18;

  explicit ThreadLosses(size_t max_waiting = kMaxWaiting) : max_waiting_(max_waiting) {}

  // Moves the weights out of the counters of `slot`. Weights that a handler adds meanwhile are
  // collected by the next call.
  void Collect(ThreadSlot& slot);

  // Returns the weights collected since the last call.
  std::vector<ThreadLoss> Take() { return std::exchange(losses_, {}); }

 private:
  const size_t max_waiting_;
  std::vector<ThreadLoss> losses_;
};

}  // namespace jprof
