// RecordForNow: a record for the calling thread, which takes the samples of unfinished waits:
// threads of the profiler have none, nor has a thread that has ended for the JVM, as the one that
// ends the JVM.
//
// Outside handlers; one a thread.
#pragma once

#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {

class RecordForNow {
 public:
  explicit RecordForNow(ThreadRecords& records)
      : records_(records),
        has_ended_(CurrentThreadHasEnded()),
        own_(records.FindForCurrentThread() == nullptr ? records.Claim(CurrentTid()) : nullptr) {
    if (own_ != nullptr) SetCurrentThread(own_);
  }
  ~RecordForNow() {
    if (own_ == nullptr) return;
    if (has_ended_) {
      EndCurrentThread();
    } else {
      SetCurrentThread(nullptr);
    }
    records_.Release(own_);
  }
  RecordForNow(const RecordForNow&) = delete;
  RecordForNow& operator=(const RecordForNow&) = delete;

 private:
  ThreadRecords& records_;
  const bool has_ended_;
  ProfiledThread* const own_;  // nullptr: it has one anyway, or there are no more
};

}  // namespace jprof
