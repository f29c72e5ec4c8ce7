// LateStacks asks the JVM for the stacks of other threads, just after they were interrupted. The JVM
// answers at the next safepoint of the thread, so such a stack differs by what the thread has done
// meanwhile.
//
// Used on one thread, which the object attaches to the JVM.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

class LateStacks {
 public:
  LateStacks(JavaVM* vm, jvmtiEnv* jvmti);
  ~LateStacks();
  LateStacks(const LateStacks&) = delete;
  LateStacks& operator=(const LateStacks&) = delete;

  // Returns the stack of the platform thread with this threadId(), callee first; nullopt if the
  // thread is not known or its stack is not available. Waits until the thread is at a safepoint.
  std::optional<std::vector<jvmtiFrameInfo>> Of(int64_t thread);

 private:
  // The time between two lists of threads.
  static constexpr Nanos kListInterval = kNanosPerSecond;

  void List();
  void Forget();

  JavaVM* const vm_;
  jvmtiEnv* const jvmti_;
  JNIEnv* jni_ = nullptr;  // nullptr if the thread could not be attached
  jfieldID id_ = nullptr;  // Thread.tid
  Nanos listed_ns_ = 0;
  std::map<int64_t, jthread> threads_;  // global references
};

}  // namespace jprof
