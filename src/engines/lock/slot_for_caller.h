// SlotForCaller: gives the calling thread a slot, so that it can take the samples of unfinished
// waits. Threads of the profiler have no slot, nor have threads that have ended for the JVM, such
// as the thread that ends the JVM.
//
// Not for handlers; one object per thread.
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
  ThreadSlot* const own_;  // nullptr: the thread has a slot anyway, or no slot is free
};

}  // namespace jprof
