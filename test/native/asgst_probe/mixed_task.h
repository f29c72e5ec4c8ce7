// MixedTask: walks and enqueues all threads at once, while queues are registered, resized and
// removed, and threads start and end. For the program WalkedStorm.
//
// Three threads work in addition to the handlers: the driver interrupts the threads, another thread
// walks them from outside, and a third one removes their queues and registers others.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"
#include "native/asgst_probe/storm_names.h"

namespace jprof::test {

class MixedTask : public ProbeTask {
 public:
  MixedTask(const Api& api, uint64_t seconds) : api_(api), names_(api), seconds_(seconds) {}

  void Begin(jvmtiEnv* jvmti, JNIEnv* jni) override;
  void OnThreadStart(JNIEnv* jni) override;
  void OnThreadEnd(JNIEnv* jni) override;
  void OnSignal(ucontext_t* ucontext) override;
  bool IsDone() const override { return std::chrono::steady_clock::now() >= end_.load(); }
  std::string Text() override;

 private:
  static constexpr size_t kThreads = 256;
  static constexpr int kResults = 64;

  // A thread that has a queue. The tid stays after the end of the thread.
  struct Slot {
    std::mutex mutex;  // held while the queue is replaced, and at the end of the thread
    JNIEnv* env = nullptr;
    std::atomic<int> tid{0};
    std::atomic<ASGST_Queue*> queue{nullptr};
    std::atomic<bool> is_taken{false};
  };

  static void OnStack(ASGST_Iterator* iterator, void* task, void* argument);
  static void OnWalk(ASGST_Iterator* iterator, void* task);
  void Register(Slot& slot);
  void Remove(Slot& slot);
  void ReplaceQueues();
  void WalkOthers();
  void Note(int result);
  void NoteEnd(int result);

  static thread_local Slot* t_slot;

  const Api& api_;
  StormNames names_;
  const uint64_t seconds_;
  std::atomic<std::chrono::steady_clock::time_point> end_{
      std::chrono::steady_clock::time_point::max()};
  std::array<Slot, kThreads> slots_{};
  std::atomic<bool> is_over_{false};
  std::thread replacing_;
  std::thread walking_;
  std::atomic<int> inside_{0};  // handlers that are running
  // relaxed: counts that are read after the last handler
  std::atomic<uint64_t> signals_{0};
  std::atomic<uint64_t> enqueued_{0};
  std::atomic<uint64_t> processed_{0};
  std::atomic<uint64_t> approximate_{0};  // included in processed_
  std::atomic<uint64_t> registered_{0};
  std::atomic<uint64_t> not_registered_{0};
  std::atomic<uint64_t> removed_{0};
  std::atomic<uint64_t> left_{0};  // queues that are left to the library at the end of a thread
  std::atomic<uint64_t> others_{0};
  std::atomic<uint64_t> undocumented_{0};
  std::atomic<uint64_t> results_[kResults]{};  // by minus the result
  std::atomic<uint64_t> ends_[kResults]{};     // of walks, by minus the result
};

}  // namespace jprof::test
