// ParkProbes: the Java class that probes in LockSupport call (java/ParkProbes.java), in the boot
// loader of this JVM.
//
// On threads that are attached to the JVM, outside handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace jprof {

extern const std::span<const uint8_t> kParkProbesBytes;

class ParkProbes {
 public:
  static constexpr char kName[] = "java/jprof/ParkProbes";
  // On the stack when `ended` is called: ended, end and exit or exception.
  static constexpr uint32_t kFrames = 3;

  using Ended = void(JNICALL*)(JNIEnv*, jclass, jthread thread, jobject blocker, jlong start_ns,
                               jlong waited_ns, jlong timeout, jint flags, jlong owner,
                               jthread waker, jlong weight);
  using Count = jlong(JNICALL*)(JNIEnv*, jclass, jthread thread, jlong waited_ns,
                                jboolean is_unfinished);
  using Owner = jlong(JNICALL*)(JNIEnv*, jclass, jobject synchronizer);

  // Defines the class, at the first call.
  static Result<const ParkProbes*> OfProcess(JNIEnv* jni);

  // Before the first probe that may call it; again with the same functions.
  Status Bind(JNIEnv* jni, Ended ended, Count count, Owner owner) const;

  // Waits are counted from now on.
  Status Open(JNIEnv* jni) const;
  // Records what has not ended. Probes that are still in the code do nothing from now on.
  void Close(JNIEnv* jni) const;

  bool IsParked(JNIEnv* jni, jthread thread) const;

 private:
  jclass class_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID is_parked_ = nullptr;
};

}  // namespace jprof
