// LiveThread: another thread of the process, which does only what the test asks for.
#pragma once

#include <semaphore.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "sigsafe/base/types.h"
#include "sigsafe/os/thread_id.h"

namespace jprof::test {

class LiveThread {
 public:
  LiveThread() {
    sem_init(&wanted_, 0, 0);
    sem_init(&done_, 0, 0);
    thread_ = std::thread([this] { Serve(); });
    Run([this] { tid_ = CurrentTid(); });
  }
  ~LiveThread() {
    End();
    sem_destroy(&wanted_);
    sem_destroy(&done_);
  }
  LiveThread(const LiveThread&) = delete;
  LiveThread& operator=(const LiveThread&) = delete;

  Tid tid() const { return tid_; }
  pthread_t handle() { return thread_.native_handle(); }

  // Runs `body` on the thread and waits for it.
  void Run(std::function<void()> body) {
    Start(std::move(body));
    Await(&done_);
  }

  // Runs `body` on the thread. REQUIRES: the next call is Finish, which waits for the end of
  // `body`.
  void Start(std::function<void()> body) {
    body_ = std::move(body);
    sem_post(&wanted_);
  }
  void Finish() { Await(&done_); }

  // Ends the thread, and returns when the kernel no longer lists it.
  void End() {
    if (!thread_.joinable()) return;
    Start(nullptr);
    thread_.join();
    // The kernel can let the join return before the thread has left /proc/self/task.
    const std::string task = "/proc/self/task/" + std::to_string(Value(tid_));
    while (access(task.c_str(), F_OK) == 0) usleep(100);
  }

 private:
  void Serve() {
    for (;;) {
      Await(&wanted_);
      if (body_ == nullptr) return;
      body_();
      sem_post(&done_);
    }
  }

  static void Await(sem_t* semaphore) {
    while (sem_wait(semaphore) != 0) {
    }
  }

  sem_t wanted_;
  sem_t done_;
  std::function<void()> body_;
  Tid tid_{0};
  std::thread thread_;
};

}  // namespace jprof::test
