// AnchorTask: checks in JVMTI callbacks that a walk from the thread's frame anchor (the last Java
// frame that the JVM has stored) has the same frames as JVMTI GetStackTrace.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "native/walk_probe/walk_task.h"
#include "sigsafe/stack/stack_walker.h"

namespace jprof::test {

class AnchorTask : public WalkTask {
 public:
  AnchorTask(const HotspotLayout& vm, uint64_t walks);

  // Compares the frames of the calling thread. REQUIRES: it is in a JVMTI callback for itself.
  void Compare(jvmtiEnv* jvmti, JNIEnv* jni, const WalkBuffer& buffer);

  // Does nothing: this task interrupts no threads.
  void Run(const void*, const ucontext_t*, const WalkBuffer&) override {}
  bool IsDone() const override { return compared_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  // True if the frame is the expected one. The id of a method and its jmethodID are compared by the
  // names of the method, once.
  bool IsSame(jvmtiEnv* jvmti, JNIEnv* jni, const jvmtiFrameInfo& expected, const Frame& frame,
              uint64_t method);
  void NoteDifference(const std::vector<jvmtiFrameInfo>& expected, const Stack& stack);

  const HotspotLayout& vm_;
  WalkEnvironment environment_;
  const uint64_t walks_;
  // All accesses are relaxed: counts that are read after the last callback.
  std::atomic<uint64_t> compared_{0};
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> virtual_{0};  // stacks of virtual threads, also counted in same_
  std::atomic<uint64_t> broken_{0};   // stacks that end in the reason for which the walk broke off
  std::atomic<uint64_t> different_{0};
  std::atomic<uint64_t> not_started_{0};
  std::mutex mutex_;  // guards all below
  std::string first_difference_;
  std::set<std::pair<jmethodID, uint64_t>> pairs_;  // the ids of one method
};

}  // namespace jprof::test
