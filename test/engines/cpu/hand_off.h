#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "support/live_thread.h"

namespace jprof::test {

// HandOff makes two threads switch often, until the destructor runs. The threads are bound to one
// processor and pass a byte to each other over pipes.
class HandOff {
 public:
  HandOff(LiveThread& one, LiveThread& other) : threads_{&one, &other} {
    for (auto& pipe : pipes_) EXPECT_EQ(::pipe(pipe), 0);
    for (int i : {0, 1}) threads_[i]->Start([this, i] { Play(pipes_[i][0], pipes_[1 - i][1]); });
    char turn = 0;
    EXPECT_EQ(write(pipes_[0][1], &turn, 1), 1);
  }
  ~HandOff() {
    over_ = true;
    for (LiveThread* thread : threads_) thread->Finish();
    for (auto& pipe : pipes_) close(pipe[0]), close(pipe[1]);
  }
  // Returns how often the threads have passed the byte on. Each time, the kernel switches to a thread.
  uint64_t passes() const { return passes_.load(std::memory_order_relaxed); }

  HandOff(const HandOff&) = delete;
  HandOff& operator=(const HandOff&) = delete;

 private:
  // Runs on each of the two threads. The thread that first sees over_ set passes the byte on once
  // more, so that the other thread wakes up and sees over_ set too.
  void Play(int from, int to) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    char turn = 0;
    for (bool on = true; on;) {
      while (read(from, &turn, 1) < 0) {
      }
      on = !over_;
      passes_.fetch_add(1, std::memory_order_relaxed);
      EXPECT_EQ(write(to, &turn, 1), 1);
    }
    sched_setaffinity(0, sizeof before, &before);
  }

  std::atomic<bool> over_{false};
  std::atomic<uint64_t> passes_{0};
  LiveThread* threads_[2];
  int pipes_[2][2] = {};
};

}  // namespace jprof::test
