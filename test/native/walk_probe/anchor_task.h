// AnchorTask: checks in JVMTI callbacks that a walk from the thread's anchor has the frames of
// JVMTI GetStackTrace.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "native/walk_probe/walk_task.h"
#include "sigsafe/stack/stack_walker.h"

namespace jprof::test {

class AnchorTask : public WalkTask {
 public:
  AnchorTask(const HotspotLayout& vm, uint64_t walks);

  // Compares the frames of the calling thread. Called in a callback for this thread.
  void Compare(jvmtiEnv* jvmti, JNIEnv* jni, const WalkBuffer& buffer);

  // Does nothing: this task interrupts no threads.
  void Run(const void*, const ucontext_t*, const WalkBuffer&) override {}
  bool IsDone() const override { return compared_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  void NoteDifference(const std::vector<jvmtiFrameInfo>& expected, const Stack& stack);

  const HotspotLayout& vm_;
  WalkEnvironment environment_;
  const uint64_t walks_;
  // All are relaxed: counts, read when the callbacks are over.
  std::atomic<uint64_t> compared_{0};
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> virtual_{0};  // stacks of virtual threads among same_
  std::atomic<uint64_t> broken_{0};   // stacks with an outcome in place of frames
  std::atomic<uint64_t> different_{0};
  std::atomic<uint64_t> not_started_{0};
  std::mutex mutex_;
  std::string first_difference_;  // under mutex_
};

}  // namespace jprof::test
