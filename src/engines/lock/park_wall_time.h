// ParkWallTime samples the elapsed time of virtual threads that are parked or sleep
// (waited_wall_time.h). java/ParkProbes.java holds these threads and calls the functions.
//
// Used on attached threads; not for signal handlers.
#pragma once

#include <jvmti.h>

#include "base/result.h"
#include "engines/lock/thread_ids.h"
#include "engines/lock/waited_wall_time.h"

namespace jprof {

class ParkWallTime {
 public:
  // Prepares the functions below. Called before a probe can call them, one call at a time.
  static Status Begin(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler);

  // Sets the slot that takes the samples of waits that go on; nullptr if there is no such slot. Only
  // the thread that calls ParkProbes.sampleWaiting uses the slot.
  static void SetTaker(ThreadSlot* taker);

  // The native methods of the class ParkNatives: stackOf and waited.
  static void JNICALL OnStackOf(JNIEnv* jni, jclass, jthread thread, jint flags);
  static void JNICALL OnWaited(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong from_ns,
                               jlong to_ns, jlong counted, jint flags);
};

}  // namespace jprof
