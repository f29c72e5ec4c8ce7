// ThreadLosses: the weights that handlers could not record, by thread.
//
// Handlers count them in the record of the thread. They are collected from there by the thread's
// serial before another thread gets the record. Part of ThreadRoster, under its lock.
#pragma once

#include <utility>
#include <vector>

#include "sigsafe/threads/profiled_thread.h"
#include "threads/thread_loss.h"

namespace jprof {

class ThreadLosses {
 public:
  // The record has no losses afterwards, but for those that handlers add meanwhile.
  void Collect(ProfiledThread& record);

  // Those collected since the last call.
  std::vector<ThreadLoss> Take() { return std::exchange(losses_, {}); }

 private:
  std::vector<ThreadLoss> losses_;
};

}  // namespace jprof
