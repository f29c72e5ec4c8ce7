// VirtualLives measures, by probes in java.lang.VirtualThread, how long virtual threads live, how
// long they wait for their first carrier, and how long they sleep. The times are sums over all
// virtual threads that are created after Open.
//
// The probes stay in java.lang.VirtualThread after the recording, and the next recording uses them.
// To remove and insert them each time would use up memory: HotSpot never frees an earlier version
// of that class in a program that has virtual threads (docs/adr/0015). Between recordings a probe
// returns at once. If another agent has removed the probes, the next recording inserts them again.
//
// Start, Open and Stop are called on attached threads, one call at a time. Read is called on any
// thread. The sums belong to the process, because probes can run after the recording has ended.
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

// The Java class that the probes in java.lang.VirtualThread call (java/VirtualProbes.java), and the
// class with its native methods.
extern const std::span<const uint8_t> kVirtualProbesBytes;
extern const std::span<const uint8_t> kVirtualNativesBytes;

struct VirtualSums {
  int64_t first_id = 0;      // lowest id of the threads that count; 0 before Open
  IntervalSums lives;        // times from Thread.start to the end of the thread
  IntervalSums first_waits;  // times from Thread.start to the first carrier
  IntervalSums sleeps;
};

class VirtualLives final : private ProbeUser {
 public:
  // REQUIRES: `events` and `round` outlive the object.
  VirtualLives(JvmEvents& events, ProbeRound& round);

  // Clears the sums, and requests the probes if they are not in the code. Requests nothing in a JVM
  // without virtual threads.
  Status Start(JNIEnv* jni, const ThreadIds& ids);
  // Counts the threads that are created from now on, if `counts` is true. The probes see sleeps for
  // `wall` in any case. REQUIRES: the probes are in the code, so that they see the start and the
  // end of every counted thread.
  Status Open(JNIEnv* jni, const ThreadIds& ids, bool counts);

  // Keeps the sums as they are now. If Open has succeeded and the JVM counts changes of classes,
  // leaves the probes in the code. The next Start can then find out whether the probes are still
  // there. In all other cases removes the probes. Returns false if ProbeInstaller::Remove or
  // LeaveProbes returns false.
  bool Stop();

  std::vector<std::string> TakeNotes();

  // Returns the current sums; after a Stop, the sums at the time of the first Stop.
  VirtualSums Read() const;

 private:
  static jlong JNICALL OnEntry(JNIEnv* jni, jclass, jobject thread, jint method);
  static void JNICALL OnExit(JNIEnv*, jclass, jint method, jlong since);
  static void JNICALL OnException(JNIEnv*, jclass, jthrowable, jint method, jlong since);

  static Status Define(JNIEnv* jni);
  // Makes the probes call the functions below, or not.
  static Status SetOpen(JNIEnv* jni, bool is_open);
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv*, TracedMethod method) override;

  JvmEvents& events_;
  ProbeRound& round_;
  ProbeInstaller installer_;
  bool are_left_ = false;  // true if the probes of an earlier recording are in the code
  bool is_open_ = false;
  std::optional<VirtualSums> at_stop_;  // sums at the first Stop
};

}  // namespace jprof
