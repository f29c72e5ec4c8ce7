// LocksAtStart: the monitors of waits that began before the recording, as java.lang.management
// reports them, if the JVM has it. JVMTI reports them only to agents that were there when the JVM
// started (GetCurrentContendedMonitor).
//
// Find is called on an attached thread, outside callbacks of the JVM; it runs code of the JDK,
// which makes a few objects, and stops the program once. Of and Forget are called on attached
// threads.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <vector>

#include "engines/lock/thread_ids.h"
#include "engines/lock/waiting_threads.h"

namespace jprof {

class LocksAtStart {
 public:
  struct Lock {
    jweak lock_class = nullptr;  // nullptr: not known
    uint32_t hash = 0;           // identity hash of the object
    int64_t owner = 0;           // id of the owner; 0: none, or not known
  };

  // Finds the locks of the threads that wait for monitors, as far as that succeeds. Does nothing if
  // no thread waits to enter a monitor: every JVM has threads of the JDK that wait for a
  // notification, and the first call loads some two hundred classes.
  void Find(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<WaitingThread>& waiting);

  // Returns the lock that the thread waited for; nullptr: not known.
  const Lock* Of(int64_t thread) const;

  // Deletes the references.
  void Forget(JNIEnv* jni);

 private:
  std::map<int64_t, Lock> locks_;  // by the id of the thread
};

}  // namespace jprof
