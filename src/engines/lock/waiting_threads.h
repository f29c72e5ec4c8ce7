// Asks the JVM about waiting threads, for waits that no event has reported:
//
//   WaitingThreads   the platform threads that wait now; JVMTI has no list of virtual threads
//   LocksAtStart     the monitors for which threads wait when the recording starts, and the owners
//   AskedMonitors    the monitors for which threads wait when the recording stops, and the owners
//
// Used on attached threads. The JVM is asked only outside its callbacks.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/wait_type.h"
#include "engines/lock/thread_ids.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct WaitingThread {
  jthread thread;  // a local reference in the frame of the caller of WaitingThreads
  int64_t id;      // Thread.threadId()
  WaitType type;
  // If the thread waits inside the JVM for the end of a class's initialization, the address of the
  // ObjectMonitor on which it waits; `type` is then kMonitorWait. Else 0.
  uint64_t monitor = 0;

  bool is_class_initialization() const { return monitor != 0; }
};

// Returns the platform threads that wait now, or an Error if the JVM has no memory for the list.
Result<std::vector<WaitingThread>> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  const ThreadIds& ids);

// True if one of the innermost `depth` frames of the thread belongs to a method of the class with
// the JVM signature `signature`. `thread` is nullptr for the calling thread. REQUIRES: depth <= 8.
bool HasFrameOf(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jint depth, const char* signature);

// The class in which a virtual thread parks until a socket is ready.
inline constexpr char kPollerOfSockets[] = "Lsun/nio/ch/Poller;";

// LocksAtStart holds the monitors of waits that began before the recording, and the owners of these
// monitors. java.lang.management reports them; in a JVM without it, LocksAtStart is empty. JVMTI
// (GetCurrentContendedMonitor) reports such monitors only to agents that were loaded when the JVM
// started.
//
// Find is called outside callbacks of the JVM. It stops the program once, and runs code of the JDK,
// which makes a few objects. Of() and Forget() may be called in callbacks.
class LocksAtStart {
 public:
  struct Lock {
    jweak lock_class = nullptr;  // class of the lock's object; nullptr if unknown
    uint32_t hash = 0;           // identity hash of the lock's object
    int64_t owner = 0;           // id of the owning thread; 0 if there is none or it is unknown
  };

  // Finds the locks of those `waiting` threads that wait for monitors. Locks that cannot be found
  // stay unknown. Does nothing unless a thread waits to enter a monitor, because the first call
  // loads some two hundred classes. Threads that wait for a notification are not reason enough:
  // every JVM has such threads, which belong to the JDK.
  void Find(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<WaitingThread>& waiting);

  // Returns the lock for which the thread with the id `thread` waited at Find; nullptr if unknown.
  const Lock* Of(int64_t thread) const;

  // Removes all locks and deletes their references.
  void Forget(JNIEnv* jni);

 private:
  std::map<int64_t, Lock> locks_;  // by the id of the thread
};

// AskedMonitors asks the JVM for which monitor a thread waits now, and which thread owns a monitor.
//
// Each question stops the program for a moment, so the total time of the questions is bounded.
// Questions neither change nor create objects in Java's heap, so they are safe at the end of the
// JVM. Used on one thread, outside callbacks of the JVM.
class AskedMonitors {
 public:
  // The total time of the questions, in ns, after which no further question is asked.
  static constexpr Nanos kMostAsking = 50'000'000;

  AskedMonitors(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids);

  // Returns a local reference to the object whose monitor the platform thread waits to enter. On
  // some JDKs before 25, also returns the object on which the thread waits for a notification.
  // Returns nullptr if there is no such object, or if the JVM does not answer. The JVM answers only
  // agents that were loaded when the JVM started.
  jobject AwaitedBy(jthread thread);

  // Returns the thread that owns the monitor of `object`; SampledThread() if no thread owns it or
  // the owner is unknown. From JDK 23 on, an owner that is a virtual thread is unknown. `object` is
  // a local reference that outlives the AskedMonitors.
  SampledThread OwnerOf(jobject object);

  // Returns the number of questions that were not asked because the time was used up.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Asked {
    jobject object;
    SampledThread owner;
  };

  bool HasTime();

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ThreadIds& ids_;
  bool answers_awaited_by_ = false;              // true if the JVM answers AwaitedBy
  std::unordered_multimap<jint, Asked> owners_;  // earlier answers, keyed by identity hash
  Nanos spent_ns_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace jprof
