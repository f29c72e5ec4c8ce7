// ToldThread: the virtual thread that a callback of the JVM is about, where no walk could find it.
//
// Before JDK 24 the id of the mounted virtual thread is in the heap, which native code must not
// read (sigsafe/hotspot/virtual_thread.h). A callback runs in native code, and is told its thread.
//
// On attached threads, outside handlers. Immutable; of the process, never freed.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

// JNI's IsVirtualThread. REQUIRES: JDK 21. `thread` may be null.
bool IsVirtualThread(JNIEnv* jni, jthread thread);

class ToldThread {
 public:
  // nullptr: walks tell mounted threads in callbacks, too, or this JVM has none; or it has no
  // memory to look for their ids.
  static const ToldThread* OfProcess(jvmtiEnv* jvmti, JNIEnv* jni);

  // Thread.threadId() of a virtual thread; 0: a platform thread; nullopt: not known. Runs no Java
  // code. `told`: nullptr is allowed, and answers nullopt.
  static std::optional<int64_t> IdOf(const ToldThread* told, JNIEnv* jni, jthread thread) {
    if (told == nullptr || thread == nullptr) return std::nullopt;
    return IsVirtualThread(jni, thread) ? jni->GetLongField(thread, told->id_) : 0;
  }

  // The same of the calling thread.
  static std::optional<int64_t> IdOfCaller(const ToldThread* told, jvmtiEnv* jvmti, JNIEnv* jni);

 private:
  explicit ToldThread(jfieldID id) : id_(id) {}

  const jfieldID id_;
};

}  // namespace jprof
