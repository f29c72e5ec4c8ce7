// ParkWallTime samples the elapsed time of virtual threads that are parked or sleep
// (waited_wall_time.h). java/ParkProbes.java holds these threads.
//
// Used on attached threads; not for signal handlers.
#pragma once

#include <jvmti.h>

#include <optional>

#include "base/result.h"
#include "engines/lock/thread_ids.h"
#include "engines/lock/waited_wall_time.h"

namespace jprof {

class ParkWallTime {
 public:
  // Prepares the functions below. Called before a probe can call them, one call at a time.
  static Status Begin(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler);

  // Sets the slot that takes the samples of waits that go on; nullptr if there is no such slot.
  // Only the thread that calls ParkProbes.sampleWaiting uses the slot.
  static void SetTaker(ThreadSlot* taker);

  // Makes the method in which the thread waits the first frame of `stack`, and returns the activity
  // of the thread: kParked, kSleeping or kInObjectWait. Returns nullopt if the stack is not that of
  // such a wait. REQUIRES: Begin has succeeded.
  static std::optional<ThreadActivity> StartAtWait(StackAtJvm& stack);
  // Does the same for a wait that began before the probes were in the code. The stack then has
  // methods as they were without probes, which have other ids. Takes longer. The first frame gets
  // the id of the present method.
  static std::optional<ThreadActivity> StartAtEarlierWait(JNIEnv* jni, StackAtJvm& stack);
  // True if `thread`, which is parked, waits for a socket. REQUIRES: Begin has succeeded.
  static bool IsForSocket(JNIEnv* jni, jthread thread);

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
