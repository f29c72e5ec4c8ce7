// FairMutex: a mutex that a thread cannot take again while another thread waits for it.
//
// A std::mutex that is released and taken again in a loop stays with the loop: the kernel wakes the
// waiting thread after the loop has taken the mutex again. Here the waiting thread holds turn_,
// which the loop needs first.
//
// Thread-safe, outside signal handlers. Works with std::lock_guard. Costs two uncontended locks.
#pragma once

#include <mutex>

namespace jprof {

class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex turn_;  // held by the next thread, while it waits for mutex_
  std::mutex mutex_;
};

}  // namespace jprof
