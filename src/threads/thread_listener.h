// ThreadListener: is called when a selected thread starts and when it ends.
#pragma once

#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The time from which on a thread's CPU time belongs to the recording.
enum class Observed {
  kFromBirth,  // the thread started after the recording
  kFromNow,    // the thread started before, or its CPU time up to now has been accounted for
  kContinued,  // the slot replaces another slot of the same thread, and continues its account
};

// How the end of a thread became known.
enum class EndedBy {
  kItself,   // announced by the thread, before it exits; asynchronous signals are blocked
  kAbsence,  // the kernel does not list the thread any more, or it is no longer selected
};

// Called with the registry's lock held, on any thread, outside handlers; must not call the
// registry. Start and end alternate for a slot, and only threads that the sampler's filter
// selects are announced.
class ThreadListener {
 public:
  virtual ~ThreadListener() = default;
  virtual void OnThreadStart(ThreadSlot& thread, Observed observed) = 0;
  virtual void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) = 0;
  // On a selected thread, or one without a slot, that has attached to the JVM or was started by
  // it.
  virtual void OnJavaThreadStart(const void* /*jni_env*/) {}
  // On a selected thread, or one without a slot, that is about to detach from the JVM. It will be
  // no thread with a JNIEnv any more when the registry's lock is free.
  virtual void OnJavaThreadEnd(const void* /*jni_env*/) {}
};

}  // namespace jprof
