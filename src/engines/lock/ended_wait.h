// EndedWait: a wait that is a sample, and how it becomes one.
//
// On attached threads, outside handlers: in callbacks of the JVM and in probes; at the stop for
// waits that go on.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/thread_ids.h"
#include "jvm/sampled_classes.h"

namespace jprof {

struct EndedWait {
  WaitType type = WaitType::kMonitorEnter;
  uint8_t flags = 0;  // LockPayload
  Nanos start_ns = 0;
  Nanos waited_ns = 0;
  int64_t timeout = kNoTimeout;
  uint64_t weight = 0;
  jobject object = nullptr;  // nullptr: not known, but perhaps its class and identity hash
  jclass lock_class = nullptr;
  uint32_t hash = 0;
  SampledThread waiting = {};  // SampledThread(): the calling thread
  SampledThread owner = {};    // SampledThread(): not known; as of the waker
  SampledThread waker = {};
  uint32_t probe_frames = 0;  // of ours, on the stack of the calling thread
  jthread thread = nullptr;   // that waits; nullptr: not known
  // The stack is not that of the calling thread, or not yet: the JVM is asked for it.
  bool is_elsewhere = false;
};

// Takes the sample of `wait`. REQUIRES: its weight is not 0.
void SampleWait(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes, const EndedWait& wait);

}  // namespace jprof
