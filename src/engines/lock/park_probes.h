// ParkProbes: the Java class that probes in LockSupport call (java/ParkProbes.java), in the boot
// loader of this JVM.
//
// Used on threads that are attached to the JVM; not for handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engines/lock/park_permit.h"

namespace jprof {

extern const std::span<const uint8_t> kParkProbesBytes;
// The classes that it uses (java/): ParkNatives, and ThreadFields, which uses another class of the
// JDK on JDK 8.
extern const std::span<const uint8_t> kParkNativesBytes;
extern const std::span<const uint8_t> kThreadFieldsBytes;
extern const std::span<const uint8_t> kThreadFieldsOfJdk8Bytes;

class ParkProbes {
 public:
  static constexpr char kName[] = "jdk/internal/misc/ParkProbes";
  // The number of frames of ours when `ended` is called: ended, end, and exit or exception.
  static constexpr uint32_t kFrames = 3;

  // Called when a wait that is a sample has ended, or at Close.
  using Ended = void(JNICALL*)(JNIEnv*, jclass, jthread thread, jobject blocker, jlong start_ns,
                               jlong waited_ns, jlong timeout, jint flags, jlong owner,
                               jthread waker, jlong weight);
  // Called for each wait. Returns its weight as a sample. `thread`: the id of the thread, negative
  // if it is virtual.
  using Count = jlong(JNICALL*)(JNIEnv*, jclass, jlong thread, jlong waited_ns, jlong now_ns,
                                jboolean is_unfinished);

  // Returns the class, which the first call defines.
  static Result<const ParkProbes*> OfProcess(JNIEnv* jni);

  // Binds the native methods, before the first probe that might call them. Repeated calls have the
  // same functions.
  Status Bind(JNIEnv* jni, Ended ended, Count count) const;

  // Counts waits from now on. With ParkPermit() a park of a thread that has a permit counts as a
  // wait, too.
  Status Open(JNIEnv* jni, const ParkPermit& permit) const;
  // Records the waits that have not ended, and makes probes that are still in the code do nothing
  // from now on.
  void Close(JNIEnv* jni) const;

  // True if a probe has seen that the thread was parked, and not yet that the park has ended.
  bool IsParked(JNIEnv* jni, jthread thread) const;

 private:
  jclass class_ = nullptr;    // a global reference
  jclass natives_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID is_parked_ = nullptr;
};

}  // namespace jprof
