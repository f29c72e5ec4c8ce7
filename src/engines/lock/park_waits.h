// ParkWaits: records waits of parked threads by probes in LockSupport, on which locks, semaphores,
// latches and futures of java.util.concurrent are built.
//
// Used on attached threads, one call at a time.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/lock/ended_wait.h"
#include "engines/lock/monitor_waits.h"
#include "engines/method/probe_installer.h"
#include "jvm/vm_structs.h"

namespace jprof {

extern const std::span<const uint8_t> kParkProbesBytes;
// The classes that it uses (java/): ParkNatives, and ThreadFields, which uses another class of the
// JDK on JDK 8.
extern const std::span<const uint8_t> kParkNativesBytes;
extern const std::span<const uint8_t> kThreadFieldsBytes;
extern const std::span<const uint8_t> kThreadFieldsOfJdk8Bytes;

class ParkProbes;

class ParkWaits {
 public:
  // REQUIRES: all outlive the object.
  ParkWaits(JvmEvents& events, ProbeRound& round, SampledClasses& classes);

  Status Start(JNIEnv* jni, const ThreadIds& ids, const VmStructs& structs);

  // Records the parks that began before Start. Called before Stop, which records the others.
  // `waiting`: the platform threads that wait now. `monitors`: knows the threads that waited at the
  // start. REQUIRES: Start has succeeded.
  void RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting,
                        const MonitorWaits& monitors);

  // Records the parks that have not ended, and takes the probes out. May be called after a failed
  // Start, and repeatedly. Returns false if ProbeInstaller::Remove does.
  bool Stop(JNIEnv* jni);

  std::vector<std::string> TakeNotes();

 private:
  // The user of the probes of some methods of LockSupport.
  class Probed : public ProbeUser {
   public:
    Probed(JvmEvents& events, ProbeRound& round, const char* methods, const char* entry,
           bool has_exit);
    ProbeInstaller& installer() { return installer_; }

   private:
    instrument::ProbeTarget ProbedBy(bool is_counted) const override;
    std::optional<uint32_t> NumberFor(JNIEnv*, TracedMethod method) override;

    const char* const entry_;
    const bool has_exit_;
    ProbeInstaller installer_;
  };

  static void JNICALL OnEnded(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong start_ns,
                              jlong waited_ns, jlong timeout, jint flags, jlong owner,
                              jthread waker, jlong weight);
  static jlong JNICALL OnCounted(JNIEnv*, jclass, jlong thread, jlong waited_ns, jlong now_ns,
                                 jboolean is_unfinished);

  JvmEvents& events_;
  SampledClasses& classes_;
  const ParkProbes* probes_ = nullptr;  // nullptr: not started, or stopped
  Probed parks_;
  Probed unparks_;
};

}  // namespace jprof
