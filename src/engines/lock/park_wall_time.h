// ParkWallTime samples the elapsed time of virtual threads that are parked or sleep
// (waited_wall_time.h). java/ParkProbes.java holds these threads.
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

  // Binds the native methods of the class ParkNatives that take samples for `wall`.
  static Status Bind(JNIEnv* jni, jclass natives);

 private:
  static void JNICALL OnWaited(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong from_ns,
                               jlong to_ns, jlong counted, jint flags);
  static void JNICALL OnStacksOf(JNIEnv* jni, jclass, jobjectArray threads, jint count);
  static void JNICALL OnWaitsOn(JNIEnv* jni, jclass, jint number, jthread thread, jobject blocker,
                                jlong from_ns, jlong to_ns, jlong counted, jint flags);
};

}  // namespace jprof
