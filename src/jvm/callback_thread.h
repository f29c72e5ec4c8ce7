// CallbackThread: finds the virtual thread that runs a callback of the JVM, in releases in which no
// walk can find it.
//
// Before JDK 24 the id of the mounted virtual thread is in the heap, which native code must not
// read (sigsafe/hotspot/virtual_thread.h). A callback runs in native code, and the JVM passes it
// the thread.
//
// Used on attached threads, outside handlers. The object is immutable, and never freed.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

// Calls JNI's IsVirtualThread; false for a null `thread`. REQUIRES: JDK 21 or later.
bool IsVirtualThread(JNIEnv* jni, jthread thread);

class CallbackThread {
 public:
  // Returns the object of the process; nullptr if walks find mounted threads in callbacks, too, if
  // this JVM has no virtual threads, or if it has no memory to look for their ids.
  static const CallbackThread* OfProcess(jvmtiEnv* jvmti, JNIEnv* jni);

  // Returns Thread.threadId() of a virtual thread; 0 for a platform thread; nullopt if the thread
  // is not known or `told` is nullptr. Runs no Java code.
  static std::optional<int64_t> IdOf(const CallbackThread* told, JNIEnv* jni, jthread thread) {
    if (told == nullptr || thread == nullptr) return std::nullopt;
    return IsVirtualThread(jni, thread) ? jni->GetLongField(thread, told->id_) : 0;
  }

  // Returns IdOf the calling thread.
  static std::optional<int64_t> IdOfCaller(const CallbackThread* told, jvmtiEnv* jvmti,
                                           JNIEnv* jni);

 private:
  explicit CallbackThread(jfieldID id) : id_(id) {}

  const jfieldID id_;
};

}  // namespace jprof
