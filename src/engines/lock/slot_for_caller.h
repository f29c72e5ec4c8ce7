// SlotForCaller: a slot for the calling thread, which takes the samples of unfinished waits:
// threads of the profiler have none, nor has a thread that has ended for the JVM, as the one that
// ends the JVM.
//
// Outside handlers; one a thread.
#pragma once

#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

class SlotForCaller {
 public:
  explicit SlotForCaller(ThreadSlots& slots)
      : slots_(slots),
        has_ended_(CurrentThreadHasEnded()),
        own_(slots.FindForCurrentThread() == nullptr ? slots.Claim(CurrentTid()) : nullptr) {
    if (own_ != nullptr) SetCurrentThread(own_);
  }
  ~SlotForCaller() {
    if (own_ == nullptr) return;
    if (has_ended_) {
      EndCurrentThread();
    } else {
      SetCurrentThread(nullptr);
    }
    slots_.Release(own_);
  }
  SlotForCaller(const SlotForCaller&) = delete;
  SlotForCaller& operator=(const SlotForCaller&) = delete;

 private:
  ThreadSlots& slots_;
  const bool has_ended_;
  ThreadSlot* const own_;  // nullptr: it has one anyway, or there are no more
};

}  // namespace jprof
