// ThreadLosses: the weights of samples that handlers could not record, by thread.
//
// Handlers add the weights to counters in the slot of the thread. Collect moves them into a list,
// with the thread's serial, before another thread gets the slot. Part of ThreadRoster, guarded by
// its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// ThreadLoss: the weight of samples of one thread that could not be recorded, by kind and reason.
struct ThreadLoss {
  uint32_t serial;
  Tid tid;
  SampleKind kind;
  LostReason reason;
  uint64_t weight;  // in the unit of the kind
};

class ThreadLosses {
 public:
  // The most weights between two calls of Take. Further ones are added to LostWithoutThread, so
  // that totals stay true.
  static constexpr size_t kMaxWaiting = 1 << 18;

  explicit ThreadLosses(size_t max_waiting = kMaxWaiting) : max_waiting_(max_waiting) {}

  // Resets the counters of `slot`. Weights that a handler adds meanwhile are collected by the
  // next call.
  void Collect(ThreadSlot& slot);

  // The weights collected since the last call.
  std::vector<ThreadLoss> Take() { return std::exchange(losses_, {}); }

 private:
  const size_t max_waiting_;
  std::vector<ThreadLoss> losses_;
};

}  // namespace jprof
