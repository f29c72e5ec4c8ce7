// LocksAtStart: for which monitors threads wait that began to before the recording, as
// java.lang.management has it, where the JVM has that. JVMTI says it only to agents that were there
// when the JVM started (GetCurrentContendedMonitor).
//
// Find: on an attached thread, outside callbacks of the JVM; runs code of the JDK, which makes a
// few objects, and stops the program once. Of and Forget: on attached threads.
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
    int64_t owner = 0;           // id of a thread; 0: nobody, or not known
  };

  // Finds the locks of the threads that wait for monitors. Leaves out what fails. Does nothing
  // where no thread waits to enter one: threads of the JDK that wait for a notification are in
  // every JVM, and the first call loads some two hundred classes.
  void Find(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<WaitingThread>& waiting);

  // nullptr: not known.
  const Lock* Of(int64_t thread) const;

  // Gives the references back to the JVM.
  void Forget(JNIEnv* jni);

 private:
  std::map<int64_t, Lock> locks_;  // by the id of the thread
};

}  // namespace jprof
