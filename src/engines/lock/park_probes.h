// ParkProbes is the Java class that probes in LockSupport call (java/ParkProbes.java). It belongs
// to the boot loader of this JVM. Used on attached threads; not for signal handlers.
//
// The class has three sorts of callers: probes, the engine, and the looker.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engines/lock/park_permit.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The Java classes that the probes need, as class files: ParkProbes, which the probes call, and the
// classes that ParkProbes uses. ThreadFields has a variant for JDK 8, where Unsafe is in another
// package.
extern const std::span<const uint8_t> kParkProbesBytes;
extern const std::span<const uint8_t> kParkTableBytes;
extern const std::span<const uint8_t> kParkHoldersBytes;
extern const std::span<const uint8_t> kParkNativesBytes;
extern const std::span<const uint8_t> kThreadFieldsBytes;
extern const std::span<const uint8_t> kThreadFieldsOfJdk8Bytes;

// The kinds of samples for which waits are observed.
struct WaitPurposes {
  bool lock = false;
  bool wall = false;  // only the waits of virtual threads
  // True if `wall` also takes samples of parked virtual threads that keep their carriers.
  bool samples_pinned = false;
};

class ParkProbes {
 public:
  static constexpr char kName[] = "jdk/internal/misc/ParkProbes";
  // The number of frames on the stack that are ours when `ended` is called: ended, endPark, end,
  // and exit or exception.
  static constexpr uint32_t kFrames = 4;

  // Samples a wait to which Count() has given a weight. Called when the wait ends, or in Close if
  // the wait goes on.
  using Ended = void(JNICALL*)(JNIEnv*, jclass, jthread thread, jobject blocker, jlong start_ns,
                               jlong waited_ns, jlong timeout, jint flags, jlong owner,
                               jthread waker, jlong weight, jlong holder, jlong holder_stack,
                               jlong waker_stack);
  // Counts a wait. Called for each wait. Returns the weight of its sample; 0 if no sample is taken.
  // `thread` is the id of the waiting thread, negative for a virtual thread.
  using Count = jlong(JNICALL*)(JNIEnv*, jclass, jlong thread, jlong waited_ns, jdouble draw,
                                jboolean is_unfinished);

  // Returns the object of the process. The first call that succeeds defines the Java class.
  static Result<const ParkProbes*> OfProcess(JNIEnv* jni);

  // Binds the native methods that probes call. Called before the first probe can run. REQUIRES:
  // every call of Bind passes the same functions.
  Status Bind(JNIEnv* jni, Ended ended, Count count) const;

  // Holds the parked threads from now on. If `permit` is ParkPermit(), permits cannot be read. Then
  // a park that returns at once because of a permit is taken for a wait, too. `interval_ns` is the
  // interval of `lock`.
  Status Open(JNIEnv* jni, const ParkPermit& permit, WaitPurposes purposes,
              Nanos interval_ns) const;
  // Samples the waits of virtual threads for `wall` from now on.
  Status OpenWall(JNIEnv* jni, Nanos interval_ns) const;
  // Samples the waits that go on for `wall`. With `is_stop`, samples no later waits.
  void SampleWaiting(JNIEnv* jni, bool is_stop) const;
  // Records the waits that go on. From now on, probes that are still in the code do nothing.
  void Close(JNIEnv* jni) const;

  // True if a probe has seen the thread park, and no probe has seen that park end.
  bool IsParked(JNIEnv* jni, jthread thread) const;

  // --- for the looker (holder_looks.h), on its thread, which is attached to the JVM

  // The argument of SetTick while no looker runs. Probes then always read the clock.
  static constexpr Nanos kNoTicks = INT64_MAX;
  // True if FindHeld would call Java code.
  static bool IsAnyAwaited();
  // Sets the time of the looker's last tick, by which probes save readings of the clock.
  static void SetTick(Nanos now_ns);

  // A park on a lock that another thread holds.
  struct HeldPark {
    size_t place = 0;
    Nanos start_ns = 0;
    int64_t holder = 0;  // id of the thread that holds the lock; negative for a virtual thread
    int64_t runner = 0;  // id of the platform thread that runs the holder; 0 if there is none
  };
  // Appends the parks that go on since `now_ns - age_ns`, and whose holder's stack is unknown. A
  // park that is appended again is appended at twice its age. Calls no Java code unless a park on a
  // lock with an owner has begun.
  void FindHeld(JNIEnv* jni, Nanos now_ns, Nanos age_ns, std::vector<HeldPark>& held) const;
  // Stores the stack of the holder in the park. Returns false if the park has ended or the lock has
  // another owner.
  bool StoreHolder(JNIEnv* jni, const HeldPark& park, CallTraceId stack) const;
  // Appends the stacks that are stored in parks which go on.
  void FindStored(JNIEnv* jni, std::vector<CallTraceId>& stacks) const;

 private:
  jclass class_ = nullptr;    // a global reference
  jclass natives_ = nullptr;  // a global reference
  jclass holders_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID open_wall_ = nullptr;
  jmethodID sample_waiting_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID is_parked_ = nullptr;
  jmethodID look_ = nullptr;
  jmethodID store_ = nullptr;
  jmethodID keep_ = nullptr;
};

}  // namespace jprof
