// SampledWait is a wait of which a sample is taken. SampleWait takes the sample.
//
// Used on attached threads: in callbacks of the JVM and in probes when a wait has ended, and at the
// stop of the recording for waits that go on. Not for signal handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "engines/lock/lock_sampling.h"
#include "engines/lock/open_waits.h"
#include "engines/lock/thread_ids.h"
#include "jvm/sampled_classes.h"

namespace jprof {

struct SampledWait {
  WaitType type = WaitType::kMonitorEnter;
  uint8_t flags = 0;  // see LockPayload::flags
  Nanos start_ns = 0;
  Nanos waited_ns = 0;
  int64_t timeout = kNoTimeout;  // see LockPayload::timeout
  uint64_t weight = 0;
  jobject object = nullptr;     // object of the lock; nullptr if unknown
  jclass lock_class = nullptr;  // class of the lock; used if `object` is nullptr
  uint32_t hash = 0;            // identity hash of the object; used if `object` is nullptr
  SampledThread waiting = {};   // thread that waits; SampledThread() for the calling thread
  // The slot that takes the sample of a wait that goes on; nullptr if there is no such slot.
  ThreadSlot* taker = nullptr;
  SampledThread owner = {};  // owner of the lock; SampledThread() if unknown
  SampledThread waker = {};  // thread that ended the wait; SampledThread() if unknown
  HolderStack held = {};     // thread that held the lock during the wait, with its stack
  CallTraceId waker_stack = kNoCallTrace;
  uint32_t probe_frames = 0;  // innermost frames of the calling thread that belong to our probes
  jthread thread = nullptr;   // thread that waits; nullptr if unknown
  // True if the calling thread is a virtual thread whose frames are not on its carrier's stack yet.
  bool is_off_stack = false;

  // True if the wait has not ended; the calling thread is then not the waiting thread.
  bool goes_on() const { return (flags & LockPayload::kUnfinished) != 0; }
};

// Takes the sample of `wait`. REQUIRES: wait.weight != 0.
void SampleWait(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes, const SampledWait& wait);

}  // namespace jprof
