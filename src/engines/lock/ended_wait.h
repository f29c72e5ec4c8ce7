// EndedWait: a wait that is a sample. SampleWait: takes the sample.
//
// Used on attached threads, in callbacks of the JVM and in probes, and at the stop for waits that
// go on; not for handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/thread_ids.h"
#include "jvm/sampled_classes.h"

namespace jprof {

struct EndedWait {
  WaitType type = WaitType::kMonitorEnter;
  uint8_t flags = 0;  // bits of LockPayload::flags
  Nanos start_ns = 0;
  Nanos waited_ns = 0;
  int64_t timeout = kNoTimeout;
  uint64_t weight = 0;
  jobject object = nullptr;     // nullptr: not known; then lock_class and hash might be
  jclass lock_class = nullptr;  // class of the object, if that is nullptr
  uint32_t hash = 0;            // identity hash of the object, if that is nullptr
  SampledThread waiting = {};   // SampledThread(): the calling thread
  SampledThread owner = {};     // SampledThread(): not known
  SampledThread waker = {};     // SampledThread(): not known
  uint32_t probe_frames = 0;    // frames of ours on the stack of the calling thread
  jthread thread = nullptr;     // thread that waits; nullptr: not known
  // True if the stack is not that of the calling thread, or not yet: then the JVM is asked for it.
  bool is_elsewhere = false;
};

// Takes the sample of `wait`. REQUIRES: its weight is not 0.
void SampleWait(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes, const EndedWait& wait);

}  // namespace jprof
