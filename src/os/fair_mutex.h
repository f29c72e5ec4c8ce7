// FairMutex is a mutex that a thread cannot take again while another thread waits for it.
//
// A std::mutex that a loop releases and takes again stays with the loop: the kernel wakes the
// waiting thread only after the loop has taken the mutex again. In a FairMutex the waiting thread
// holds turn_ while it waits, and the loop needs turn_ to take the mutex.
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
  std::mutex turn_;  // held by one thread while it waits for mutex_
  std::mutex mutex_;
};

}  // namespace jprof
