// VirtualLives: for how long virtual threads lived, waited for their first carrier and slept, all
// together: by probes in java.lang.VirtualThread. Threads that are made after Open count.
//
// The probes stay in java.lang.VirtualThread for the next recording: HotSpot never frees an earlier
// version of that class in a program that has virtual threads (docs/adr/0015). Between recordings a
// probe returns at once. Another agent can take the probes out: then they are put in again.
//
// Start, Open and Stop: on attached threads, one call at a time. Read: any thread. The sums are
// those of the process, which probes may call after the recording.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/lock/open_intervals.h"
#include "engines/lock/thread_ids.h"
#include "engines/method/probe_installer.h"

namespace jprof {

// The Java class that probes in java.lang.VirtualThread call (java/VirtualProbes.java). Constant.
extern const std::span<const uint8_t> kVirtualProbesBytes;

struct VirtualSums {
  int64_t first_id = 0;  // of the threads that count; 0: there are no virtual threads
  IntervalSums lives;
  IntervalSums first_waits;  // from Thread.start to the first carrier
  IntervalSums sleeps;
};

class VirtualLives final : private ProbeUser {
 public:
  // REQUIRES: both outlive the object.
  VirtualLives(JvmEvents& events, ProbeRound& round);

  // Asks for the probes, if they are not in the code. Does nothing in a JVM without virtual threads.
  Status Start(JNIEnv* jni, const ThreadIds& ids);
  // Counts the threads that are made from now on. REQUIRES: the probes are in the code: a thread
  // that counts begins and ends in them.
  Status Open(JNIEnv* jni, const ThreadIds& ids);

  // Ends the intervals that go on. Takes the probes out if Open has not succeeded. False: as of
  // ProbeInstaller::Remove.
  bool Stop();

  std::vector<std::string> TakeNotes();

  // Up to now, or to Stop.
  VirtualSums Read() const;

 private:
  static jlong JNICALL OnEntry(JNIEnv* jni, jclass, jobject thread, jint method);
  static void JNICALL OnExit(JNIEnv*, jclass, jint method, jlong since);
  static void JNICALL OnException(JNIEnv*, jclass, jthrowable, jint method, jlong since);

  static Status Define(JNIEnv* jni);
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv*, TracedMethod method) override;

  JvmEvents& events_;
  ProbeRound& round_;
  ProbeInstaller installer_;
  bool are_left_ = false;  // the probes of an earlier recording are in the code
  bool is_open_ = false;
  std::optional<VirtualSums> at_stop_;
};

}  // namespace jprof
