// CallbackThread finds the virtual thread that runs a callback of the JVM. It is for releases in
// which a walk of the stack cannot find that thread.
//
// Before JDK 24 the id of the mounted virtual thread is only in the Java heap, which a walk must
// not read while the thread runs native code (sigsafe/hotspot/virtual_thread.h). A callback is
// native code. But it may call JNI, and JNI reads the id from the java.lang.Thread that the JVM
// passes to the callback.
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
  // Returns the only object of the process; the first call creates it. Returns nullptr if no object
  // is needed, because this JVM has no virtual threads, or because walks find virtual threads in
  // callbacks, too. Also returns nullptr if the JVM is out of memory.
  static const CallbackThread* OfProcess(jvmtiEnv* jvmti, JNIEnv* jni);

  // Returns Thread.threadId() of a virtual thread; 0 for a platform thread; nullopt if `finder` or
  // `thread` is null. Runs no Java code.
  static std::optional<int64_t> IdOf(const CallbackThread* finder, JNIEnv* jni, jthread thread) {
    if (finder == nullptr || thread == nullptr) return std::nullopt;
    return IsVirtualThread(jni, thread) ? jni->GetLongField(thread, finder->id_) : 0;
  }

  // Returns what IdOf returns for the calling thread; nullopt also if JVMTI does not return the
  // calling thread.
  static std::optional<int64_t> IdOfCaller(const CallbackThread* finder, jvmtiEnv* jvmti,
                                           JNIEnv* jni);

 private:
  explicit CallbackThread(jfieldID id) : id_(id) {}

  const jfieldID id_;  // Thread.tid
};

}  // namespace jprof
