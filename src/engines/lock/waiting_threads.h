// WaitingThreads: the platform threads that wait at a moment, as the JVM has them. JVMTI has no
// list of virtual threads.
//
// On an attached thread, outside callbacks of the JVM; the references are the caller's frame's.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/lock/thread_ids.h"
#include "engines/lock/wait_types.h"
#include "sigsafe/sampling/sample_taker.h"

namespace jprof {

struct WaitingThread {
  jthread thread;
  int64_t id;
  WaitType type;
};

std::vector<WaitingThread> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids);

// The source of a sample of another thread that waits; nullptr: of a virtual thread, which nobody
// can walk.
class StackOfWaiting {
 public:
  StackOfWaiting(jvmtiEnv* jvmti, jthread thread) : jvmti_(jvmti), thread_(thread) {}

  sample_taker::WalkTerms TermsOf(const WalkEnvironment&, const ProfiledThread&) const {
    return {true, 0};
  }
  Stack Walk(const WalkEnvironment& environment, const ProfiledThread& thread,
             const sample_taker::WalkTerms& terms, const WalkBuffer& buffer) const;

 private:
  jvmtiEnv* const jvmti_;
  const jthread thread_;
};

}  // namespace jprof
