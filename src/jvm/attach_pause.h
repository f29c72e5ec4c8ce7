// AttachPause keeps native threads from attaching to the JVM while a JVMTI environment is created.
//
// From JDK 21 on, the creation of the first environment in a running VM visits all threads of the
// VM and expects that each has a java.lang.Thread (jdk-25+36 src/hotspot/share/prims/
// jvmtiEnvBase.cpp, VM_SetNotifyJvmtiEventsMode::correct_jvmti_thread_state). A thread that is in
// the middle of AttachCurrentThread is in the VM's list and has no java.lang.Thread yet: the VM
// dereferences null and crashes. So the constructor makes threads that call AttachCurrentThread
// wait outside the VM, and then waits until the threads that are already inside the call have
// finished it. A call during the pause:
//
//   JavaVM ─▶ functions: our table ─▶ waits until the pause ends ─▶ the VM's function
//
// A call by a thread that is attached already does not wait. Both waits are bounded: the
// constructor returns after kMaxWaitNs even if a thread is still attaching, and an attaching thread
// waits for at most kMaxHoldNs. The pause has no effect on a JVM that is starting, has no virtual
// threads, or does not export its list of threads.
//
// There is at most one instance at a time. It is used on any thread, outside signal handlers. The
// destructor ends the pause and restores the JVM's own table. If another agent has replaced our
// table in the meantime, our table stays in use and forwards calls to the JVM's functions.
#pragma once

#include <jni.h>

#include "sigsafe/base/types.h"

namespace jprof {

class AttachPause {
 public:
  // The constructor returns after kQuietNs in which it has seen no thread in the middle of an
  // attachment. If it has seen such a thread, or a thread has called AttachCurrentThread during the
  // pause, the constructor requires kBusyQuietNs instead. The VM adds a thread to its list some 50
  // us after the call, or later if the thread has to wait for a processor.
  static constexpr Nanos kQuietNs = 5'000'000;
  static constexpr Nanos kBusyQuietNs = 100'000'000;
  // The constructor waits no longer than this.
  static constexpr Nanos kMaxWaitNs = 1'000'000'000;
  // The longest time, counted from the start of the pause, for which a thread that calls
  // AttachCurrentThread waits.
  static constexpr Nanos kMaxHoldNs = 3'000'000'000;

  explicit AttachPause(JavaVM* vm);
  ~AttachPause();
  AttachPause(const AttachPause&) = delete;
  AttachPause& operator=(const AttachPause&) = delete;

 private:
  JavaVM* const vm_;
};

}  // namespace jprof
