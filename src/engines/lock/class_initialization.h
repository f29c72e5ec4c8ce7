// Finds the class for the initialization of which a thread waits, and the thread that initializes
// it.
//
// The JVM reports neither. The waiting thread's code names that class, or a class that has it as a
// superclass or interface; a thread initializes a class while its <clinit> is on the thread's
// stack.
//
// Used on attached threads, including in callbacks of the JVM. Takes no lock, and runs no Java
// code.
#pragma once

#include <jvmti.h>

#include <vector>

#include "engines/lock/waiting_threads.h"

namespace jprof {

// True if the object is one that the JVM locks to initialize a class.
bool IsLockOfClass(JNIEnv* jni, jobject object);

// Returns a local reference to the class of which the innermost frame of `thread` uses a static
// member or makes an object; nullptr: not known (reflection, JNI, method handles).
jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// Returns a local reference to the class whose initialization has just ended and which a use of
// `used` needs: `used`, or a superclass of it.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used);

// The classes that threads initialize now.
class ClassInitializers {
 public:
  struct Initializer {
    jclass initialized;  // a local reference
    jthread thread;
  };

  ClassInitializers(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {}

  // Looks at the stacks of all platform threads, those of `waiting` first. Returns false if it took
  // too long, or failed, and threads are left out.
  bool FindAll(const std::vector<WaitingThread>& waiting);

  // Returns the initializer for which `thread` waits; nullptr: not known. `used`: the class that
  // the thread's code uses; nullptr: not known.
  const Initializer* AwaitedBy(jthread thread, jclass used) const;

 private:
  void Add(jthread thread);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  std::vector<Initializer> all_;
};

}  // namespace jprof
