// ThreadLosses: the weights of samples that handlers could not record, by thread.
//
// Handlers add the weights to counters in the record of the thread. Collect moves them into a list,
// with the thread's serial, before another thread gets the record. Part of ThreadRoster, guarded by
// its lock.
#pragma once

#include <utility>
#include <vector>

#include "sigsafe/threads/profiled_thread.h"
#include "threads/thread_loss.h"

namespace jprof {

class ThreadLosses {
 public:
  // Resets the counters of `record`. Weights that a handler adds meanwhile are collected by the
  // next call.
  void Collect(ProfiledThread& record);

  // The weights collected since the last call.
  std::vector<ThreadLoss> Take() { return std::exchange(losses_, {}); }

 private:
  std::vector<ThreadLoss> losses_;
};

}  // namespace jprof
