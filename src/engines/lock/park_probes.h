// ParkProbes: the Java class that probes in LockSupport call (java/ParkProbes.java), in the boot
// loader of this JVM.
//
// On threads that are attached to the JVM, outside handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engines/lock/park_permit.h"

namespace jprof {

extern const std::span<const uint8_t> kParkProbesBytes;
// What it uses (java/): ParkNatives, and ThreadFields, on JDK 8 with another class of the JDK.
extern const std::span<const uint8_t> kParkNativesBytes;
extern const std::span<const uint8_t> kThreadFieldsBytes;
extern const std::span<const uint8_t> kThreadFieldsOfJdk8Bytes;

class ParkProbes {
 public:
  static constexpr char kName[] = "jdk/internal/misc/ParkProbes";
  // On the stack when `ended` is called: ended, end and exit or exception.
  static constexpr uint32_t kFrames = 3;

  using Ended = void(JNICALL*)(JNIEnv*, jclass, jthread thread, jobject blocker, jlong start_ns,
                               jlong waited_ns, jlong timeout, jint flags, jlong owner,
                               jthread waker, jlong weight);
  // `thread`: its id, negative if it is virtual.
  using Count = jlong(JNICALL*)(JNIEnv*, jclass, jlong thread, jlong waited_ns, jlong now_ns,
                                jboolean is_unfinished);

  // Defines the class, at the first call.
  static Result<const ParkProbes*> OfProcess(JNIEnv* jni);

  // Before the first probe that may call it; again with the same functions.
  Status Bind(JNIEnv* jni, Ended ended, Count count) const;

  // Waits are counted from now on. With ParkPermit() a thread that has a permit waits, too.
  Status Open(JNIEnv* jni, const ParkPermit& permit) const;
  // Records what has not ended. Probes that are still in the code do nothing from now on.
  void Close(JNIEnv* jni) const;

  bool IsParked(JNIEnv* jni, jthread thread) const;

 private:
  jclass class_ = nullptr;    // a global reference
  jclass natives_ = nullptr;  // as above
  jmethodID open_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID is_parked_ = nullptr;
};

}  // namespace jprof
