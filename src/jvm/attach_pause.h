// AttachPause: keeps native threads from entering the JVM while a JVMTI environment is created.
//
// From JDK 21 on the first environment of a running VM makes it go through all its threads, and it
// takes for granted that each has its java.lang.Thread (jdk-25+36 src/hotspot/share/prims/
// jvmtiEnvBase.cpp, VM_SetNotifyJvmtiEventsMode::correct_jvmti_thread_state). A thread that is just
// attaching is listed and has none yet: the VM dereferences null and dies. So threads that want to
// attach wait in front of the VM, and those that are under way are waited for:
//
//   JavaVM ─▶ functions: our table ─▶ AttachCurrentThread: waits till the pause is over ─▶ the VM's
//
// Attached threads do not wait. Both waits are bounded: a thread that has been under way for longer
// than the patience makes the pause end without it. A JVM is left as it is while it starts, if it
// has no virtual threads, and if it does not export where its threads are.
//
// One at a time, on any thread but a handler. The destructor ends the pause and puts the JVM's own
// table back, unless another agent has replaced ours since: then ours stays and forwards.
#pragma once

#include <jni.h>

#include "sigsafe/base/types.h"

namespace jprof {

class AttachPause {
 public:
  // So long none may be seen under way; kQuietNs as soon as any thread comes to attach. The VM
  // lists a thread some 50 us after it was called; where many compete for few processors that takes
  // as long as the thread has to wait for one.
  static constexpr Nanos kCalmQuietNs = 5'000'000;
  static constexpr Nanos kQuietNs = 100'000'000;
  static constexpr Nanos kPatienceNs = 1'000'000'000;
  // No thread is held longer, whatever the VM does meanwhile.
  static constexpr Nanos kLongestNs = 3'000'000'000;

  explicit AttachPause(JavaVM* vm);
  ~AttachPause();
  AttachPause(const AttachPause&) = delete;
  AttachPause& operator=(const AttachPause&) = delete;

 private:
  JavaVM* const vm_;
};

}  // namespace jprof
