// ParkWaits uses probes in LockSupport to record the waits of parked threads. The locks,
// semaphores, latches and futures of java.util.concurrent are built on LockSupport.
//
// Used on attached threads, one call at a time.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/lock/monitor_waits.h"
#include "engines/lock/park_probes.h"
#include "engines/lock/sampled_wait.h"
#include "engines/method/probe_installer.h"
#include "jvm/vm_structs.h"

namespace jprof {

class ParkWaits {
 public:
  // REQUIRES: the arguments outlive the object.
  ParkWaits(JvmEvents& events, ProbeRound& round, SampledClasses& classes);

  // For `wall`, ParkWallTime::Begin comes first.
  Status Start(JNIEnv* jni, const ThreadIds& ids, const VmStructs& structs, WaitPurposes purposes);

  // Samples the waits of virtual threads for `wall` from now on. REQUIRES: Start has succeeded.
  Status OpenWall(JNIEnv* jni, Nanos interval_ns);
  // Samples, for `wall`, the parks and sleeps that go on, up to now. `taker` is the slot that takes
  // the samples. With `is_stop`, no later wait is sampled.
  void SampleWaiting(JNIEnv* jni, ThreadSlot* taker, bool is_stop);

  // Records the parks that began before Start and have not ended. Called before Stop, which records
  // the parks that began later. `waiting` has the platform threads that wait now. `monitors` has
  // the threads that waited when the recording started. `taker` is the slot that takes the samples;
  // nullptr if there is no such slot. REQUIRES: Start has succeeded.
  void RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting,
                        const MonitorWaits& monitors, ThreadSlot* taker);

  // Records the parks that go on, and removes the probes. `taker` is the slot that takes the
  // samples. May be called after a failed Start, and repeatedly. Returns false if
  // ProbeInstaller::Remove returns false.
  bool Stop(JNIEnv* jni, ThreadSlot* taker);

  std::vector<std::string> TakeNotes();

  // REQUIRES: Start has succeeded.
  const ParkProbes& probes() const { return *probes_; }

 private:
  // Installs probes in those methods of LockSupport that match the pattern `methods`. The probes
  // call the method of ParkProbes with the name `entry`. If `has_exit` is true, the probes also
  // call the methods exit and exception of ParkProbes.
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
                              jthread waker, jlong weight, jlong holder, jlong holder_stack,
                              jlong waker_stack);
  static jlong JNICALL OnCounted(JNIEnv*, jclass, jlong thread, jlong waited_ns, jdouble draw,
                                 jboolean is_unfinished);

  JvmEvents& events_;
  SampledClasses& classes_;
  const ParkProbes* probes_ = nullptr;  // nullptr unless started and not stopped
  Probed parks_;
  Probed unparks_;
};

}  // namespace jprof
