// CallbackThread finds the virtual thread that runs a callback of the JVM. It is for releases in
// which a walk of the stack cannot find that thread.
//
// Before JDK 24 the id of the mounted virtual thread is in the heap, which native code must not
// read (sigsafe/hotspot/virtual_thread.h). A callback runs in native code, and the JVM passes the
// thread as an argument.
//
// Used on attached threads, outside signal handlers. The object is immutable, and never freed.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

// Calls JNI's IsVirtualThread; false for a null `thread`. REQUIRES: JDK 21 or later.
bool IsVirtualThread(JNIEnv* jni, jthread thread);

class CallbackThread {
 public:
  // Returns the object of the process. Returns nullptr if none is needed, because walks find
  // virtual threads in callbacks, too, or this JVM has no virtual threads. Also returns nullptr if
  // the JVM is out of memory.
  static const CallbackThread* OfProcess(jvmtiEnv* jvmti, JNIEnv* jni);

  // Returns Thread.threadId() of a virtual thread; 0 for a platform thread; nullopt if `finder` or
  // `thread` is null. Runs no Java code.
  static std::optional<int64_t> IdOf(const CallbackThread* finder, JNIEnv* jni, jthread thread) {
    if (finder == nullptr || thread == nullptr) return std::nullopt;
    return IsVirtualThread(jni, thread) ? jni->GetLongField(thread, finder->id_) : 0;
  }

  // Returns IdOf for the calling thread; nullopt also if JVMTI does not return that thread.
  static std::optional<int64_t> IdOfCaller(const CallbackThread* finder, jvmtiEnv* jvmti,
                                           JNIEnv* jni);

 private:
  explicit CallbackThread(jfieldID id) : id_(id) {}

  const jfieldID id_;  // Thread.tid
};

}  // namespace jprof
