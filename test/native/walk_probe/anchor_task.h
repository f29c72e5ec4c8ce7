// AnchorTask: in JVMTI callbacks, whether a walk from the thread's anchor has the frames that JVMTI
// GetStackTrace gives there.
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

  // In a callback, on the thread that it is for.
  void Compare(jvmtiEnv* jvmti, JNIEnv* jni, const WalkBuffer& buffer);

  // Nothing is interrupted.
  void Run(const void*, const ucontext_t*, const WalkBuffer&) override {}
  bool IsDone() const override { return compared_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  void NoteDifference(const std::vector<jvmtiFrameInfo>& expected, const Stack& stack);

  const HotspotLayout& vm_;
  WalkEnvironment environment_;
  const uint64_t walks_;
  // relaxed, all of them: counts, read when the callbacks are over.
  std::atomic<uint64_t> compared_{0};
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> virtual_{0};  // of these, stacks of virtual threads
  std::atomic<uint64_t> broken_{0};   // an outcome stands for frames
  std::atomic<uint64_t> different_{0};
  std::atomic<uint64_t> not_started_{0};
  std::mutex mutex_;
  std::string first_difference_;  // under mutex_
};

}  // namespace jprof::test
