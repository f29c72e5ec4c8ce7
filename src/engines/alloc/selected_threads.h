// SelectedThreads: the threads that the recording's filter selects, for an engine whose samples do
// not begin with a signal.
//
// Thread-safe; not for handlers.
#pragma once

#include <mutex>
#include <unordered_set>

#include "threads/thread_listener.h"

namespace jprof {

class SelectedThreads final : public ThreadListener {
 public:
  bool Contains(uint32_t serial) const {
    const std::lock_guard lock(mutex_);
    return serials_.contains(serial);
  }

  void OnThreadStart(ProfiledThread& thread, Observed) override {
    const std::lock_guard lock(mutex_);
    serials_.insert(thread.serial.load(std::memory_order_relaxed));
  }
  void OnThreadEnd(ProfiledThread& thread, EndedBy) override {
    const std::lock_guard lock(mutex_);
    serials_.erase(thread.serial.load(std::memory_order_relaxed));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<uint32_t> serials_;  // guarded by mutex_
};

}  // namespace jprof
