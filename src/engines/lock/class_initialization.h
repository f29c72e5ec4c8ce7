// Finds what the JVM does not report about a thread that waits until another thread has initialized
// a class: when the wait began (MonitorWaitTimes), for which class the thread waits (ClassUsedBy,
// ClassAwaitedFor), and which thread initializes that class (ClassInitializers).
//
// The code of the waiting thread names the awaited class, or one of its subtypes. A thread
// initializes a class while the <clinit> of that class is on the thread's stack.
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

// MonitorWaitTimes records the times at which threads began to wait for a notification inside the
// JVM. The JVM sends an event when a thread begins an Object.wait. It sends none when the JVM's own
// code makes a thread wait for the end of a class's initialization.
//
//   libjvm.so: ObjectMonitor::wait ─ import slot ─▶ wrapper of pthread_cond_wait ─▶ the original
//
// The wrapper reads whether the calling thread is about to wait for a notification
// (JavaThread::_current_waiting_monitor). If so, the wrapper reads the clock. The wrapper takes no
// lock and allocates nothing. Its frame does not stay on the stack while the thread waits.
//
// Start is called at the start of a recording, and Stop at its stop, one call at a time. Take is
// called on the waiting thread. BeginOf and MonitorOf are callable on any thread.
class MonitorWaitTimes {
 public:
  // Installs the wrapper. Does nothing if the JVM does not export
  // JavaThread::_current_waiting_monitor.
  void Start(JavaVM* jvm, const HotspotLayout& vm);
  void Stop() { hook_.reset(); }

  // Returns the time at which the thread's last wait began, and forgets that wait. Returns nullopt
  // if the wrapper has not seen the wait.
  static std::optional<Nanos> Take(const ThreadSlot& thread);

  // Returns the address of the ObjectMonitor on which the Java thread waits for a notification.
  // Returns 0 if the thread does not wait for one, or if the address cannot be read. Uses guarded
  // loads.
  static uint64_t MonitorOf(const HotspotLayout& vm, const ThreadSlot& thread);

  // Returns the time at which the thread began to wait for a notification on `monitor`; nullopt if
  // the wrapper has not seen that wait.
  static std::optional<Nanos> BeginOf(const ThreadSlot& thread, uint64_t monitor);

 private:
  std::unique_ptr<ImportHook> hook_;  // nullptr unless the wrapper is installed
};

// True if the object is one that the JVM locks to initialize a class.
bool IsLockOfClass(JNIEnv* jni, jobject object);

// Returns a local reference to the class that the innermost frame of `thread` is using: the frame
// accesses a static member of the class, or creates an object of the class. Returns nullptr if the
// class is unknown (reflection, JNI, method handles).
jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// Called when a thread that uses the class `used` has just ended its wait for the initialization of
// a class. Returns a local reference to the awaited class: the first class whose initialization has
// ended, going up from `used` to its superclasses. If there is no such class, returns `used`.
// Returns nullptr if `used` is nullptr.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used);

// ClassInitializers finds the classes that threads are initializing now, and those threads.
class ClassInitializers {
 public:
  struct Initializer {
    jclass initialized;  // the class, a local reference
    jthread thread;      // the thread that initializes the class
  };

  ClassInitializers(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {}

  // Searches the stacks of all platform threads. Starts with the threads in `waiting` that wait for
  // the initialization of a class. Returns false if threads were left out, because 50 ms had passed
  // or because the JVM refused to list the threads.
  bool FindAll(const std::vector<WaitingThread>& waiting);

  // Returns the initializer of the class for which `thread` waits. `used` is the class that the
  // thread's code uses; nullptr if unknown. Returns nullptr if no initializer fits, or if several
  // fit equally well.
  const Initializer* AwaitedBy(jthread thread, jclass used) const;

 private:
  void Add(jthread thread);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  std::vector<Initializer> all_;
};

}  // namespace jprof
