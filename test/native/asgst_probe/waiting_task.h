// WaitingTask: walks threads that wait in their signal handlers, by their registers, from a thread
// that is not attached to the JVM and then from one that is. Each thread also walks itself, before
// and after the wait: all frames have to be the same. Every second stack is enqueued from outside, too.
#pragma once

#include <atomic>
#include <string>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class WaitingTask : public ProbeTask {
 public:
  WaitingTask(const Api& api, JavaVM* vm, uint64_t wanted) : api_(api), vm_(vm), wanted_(wanted) {}

  void OnThreadStart(JNIEnv* jni) override;
  void OnSignal(ucontext_t* ucontext) override;
  // Called on one thread.
  void WalkThread(int tid) override;
  bool IsDone() const override { return walks_ >= wanted_; }
  std::string Text() override;

 private:
  enum State { kIdle, kAsked, kWaiting, kWalked, kEnded };

  struct Walk {
    WaitingTask* task;
    uint64_t hash = 0;  // of all frames and the last result
    int kind = 0;
    int end = 0;
  };
  static void OnWalk(ASGST_Iterator* iterator, void* walk);
  static void OnStack(ASGST_Iterator* iterator, void* task, void* hash);

  Walk Take(void* ucontext, int options);
  void Compare(const Walk& walked);

  const Api& api_;
  JavaVM* const vm_;
  const uint64_t wanted_;
  // The thread in the handler stores kWaiting and kEnded, the driver the other states.
  std::atomic<int> state_{kIdle};
  std::atomic<int> asked_{0};  // tid
  std::atomic<int> options_{0};
  // The registers of the thread that waits.
  ucontext_t* ucontext_ = nullptr;
  ASGST_Queue* queue_ = nullptr;
  Walk before_{this};
  Walk after_{this};
  // relaxed: counts that are read after the last walk
  std::atomic<uint64_t> walks_{0};
  uint64_t same_ = 0;
  uint64_t different_ = 0;
  uint64_t unstable_ = 0;  // the walks of the thread itself differ
  uint64_t refused_ = 0;   // no walk, as the thread itself had none
  uint64_t silent_ = 0;    // signals that the thread did not handle in time
  uint64_t enqueued_ = 0;
  std::atomic<uint64_t> queued_same_{0};
  std::atomic<uint64_t> queued_different_{0};
  bool is_attached_ = false;
  std::string first_difference_;
};

}  // namespace jprof::test
