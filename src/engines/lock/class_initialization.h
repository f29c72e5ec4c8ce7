// For which class a thread waits to be initialized, and which thread initializes it.
//
// The JVM says neither. What the waiting thread's code names is that class or one whose superclass
// or interface it is; a thread initializes a class while its <clinit> is on the thread's stack.
//
// On attached threads, in callbacks of the JVM too; without a lock, and no code of Java runs.
#pragma once

#include <jvmti.h>

#include <vector>

#include "engines/lock/waiting_threads.h"

namespace jprof {

// Whether the object is what the JVM locks to initialize a class.
bool IsLockOfClass(JNIEnv* jni, jobject object);

// Returns a local reference to the class of which the innermost frame of `thread` uses a member or
// makes an object; nullptr: not known (reflection, JNI, method handles).
jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// Returns a local reference to the class whose initialization has just ended, of those that a use
// of `used` needs: `used`, or a superclass of it.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used);

// The classes that threads initialize now.
class ClassInitializers {
 public:
  struct Initializer {
    jclass initialized;  // a local reference
    jthread thread;
  };

  ClassInitializers(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {}

  // Looks at the stacks of all platform threads, first of `waiting`. False: it took too long, and
  // some are left out.
  bool FindAll(const std::vector<WaitingThread>& waiting);

  // Returns the one for which `thread`, whose code uses `used`, waits; `used` may be nullptr.
  // nullptr: not known.
  const Initializer* AwaitedBy(jthread thread, jclass used) const;

 private:
  void Add(jthread thread);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  std::vector<Initializer> all_;
};

}  // namespace jprof
