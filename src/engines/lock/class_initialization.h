// Finds what the JVM does not report about a thread that waits until another thread has initialized
// a class: when the wait began (MonitorWaitTimes), for which class the thread waits (ClassUsedBy,
// ClassAwaitedFor), and which thread initializes that class (ClassInitializers).
//
// The waiting thread's code names the class, or a class that has it as a superclass or interface. A
// thread initializes a class while the class's <clinit> is on the thread's stack.
//
// Used on attached threads, including in callbacks of the JVM. Runs no Java code. Takes no lock,
// except MonitorWaitTimes::Start and Stop.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "elf/import_hook.h"
#include "engines/lock/waiting_threads.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// MonitorWaitTimes: the times at which threads began to wait for a notification inside the JVM. The
// JVM sends an event at the start of an Object.wait, but not when it waits itself for the end of a
// class's initialization.
//
//   libjvm.so: ObjectMonitor::wait ─ import slot ─▶ wrapper of pthread_cond_wait ─▶ the original
//
// The wrapper reads whether its thread waits for a notification
// (JavaThread::_current_waiting_monitor), and if it does, the clock. It takes no lock and allocates
// nothing, and its frame does not stay on the stack while the thread waits.
//
// Start and Stop are called one at a time, at the start and the stop of a recording. Take is called
// on the waiting thread. BeginOf and MonitorOf are callable on any thread.
class MonitorWaitTimes {
 public:
  // Installs the wrapper, unless the JVM does not export the member that the wrapper reads.
  void Start(JavaVM* jvm, const HotspotLayout& vm);
  void Stop() { hook_.reset(); }

  // Returns when the thread's last wait began, and forgets it; nullopt if the wrapper has not seen
  // that wait.
  static std::optional<Nanos> Take(const ThreadSlot& thread);

  // Returns the address of the JVM's monitor on which the Java thread waits for a notification; 0
  // if there is none or it cannot be read. Uses guarded loads.
  static uint64_t MonitorOf(const HotspotLayout& vm, const ThreadSlot& thread);

  // Returns when the thread began to wait for a notification on `monitor`; nullopt if the wrapper
  // has not seen that wait.
  static std::optional<Nanos> BeginOf(const ThreadSlot& thread, uint64_t monitor);

 private:
  std::unique_ptr<ImportHook> hook_;  // nullptr unless the wrapper is installed
};

// True if the object is one that the JVM locks to initialize a class.
bool IsLockOfClass(JNIEnv* jni, jobject object);

// Returns a local reference to the class that the innermost frame of `thread` is using: by a static
// member, or by `new`. Returns nullptr if that is unknown (reflection, JNI, method handles).
jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// Returns a local reference to the class for which a user of `used` has waited until now: the first
// of `used` and its superclasses whose initialization has ended, or `used` if there is none. nullptr
// if `used` is nullptr.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used);

// ClassInitializers: the classes that threads are initializing now.
class ClassInitializers {
 public:
  struct Initializer {
    jclass initialized;  // the class, a local reference
    jthread thread;      // the thread that initializes the class
  };

  ClassInitializers(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {}

  // Searches the stacks of all platform threads, first those of `waiting` that wait for an
  // initialization. Returns false if threads were left out: after 50 ms, or because the JVM refused
  // to list the threads.
  bool FindAll(const std::vector<WaitingThread>& waiting);

  // Returns the initializer for which `thread` waits; nullptr if none or several fit. `used`: the
  // class that the thread's code uses; nullptr if unknown.
  const Initializer* AwaitedBy(jthread thread, jclass used) const;

 private:
  void Add(jthread thread);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  std::vector<Initializer> all_;
};

}  // namespace jprof
