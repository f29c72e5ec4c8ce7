// ThreadIds: who a java.lang.Thread is, in callbacks of the JVM and at the stop.
//
// On attached threads, outside handlers. Immutable after Find; of the process, never freed.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class ThreadIds {
 public:
  // nullptr: java.lang.Thread of this JVM has no id, or the JVM has no memory to look for it.
  static const ThreadIds* OfProcess(JNIEnv* jni);

  // Thread.threadId(); 0: no thread. Runs no Java code.
  int64_t Of(JNIEnv* jni, jthread thread) const {
    return thread == nullptr ? 0 : jni->GetLongField(thread, id_);
  }
  bool IsVirtual(JNIEnv* jni, jthread thread) const {
    return virtual_ != nullptr && jni->IsInstanceOf(thread, virtual_) != JNI_FALSE;
  }

  bool has_virtual() const { return virtual_ != nullptr; }

  // The slot that a platform thread has, or had when it ended; nullptr: none, or not for long.
  static const ThreadSlot* SlotOf(int64_t id);

  // SampledThread(): a platform thread that is not known, or has ended long ago.
  static SampledThread Sampled(int64_t id, bool is_virtual);

  // Of a thread that lives: one that has no slot is virtual.
  SampledThread SampledLiving(int64_t id) const;

  // The id, negative of a virtual thread.
  int64_t SignedOf(JNIEnv* jni, jthread thread) const {
    return IsVirtual(jni, thread) ? -Of(jni, thread) : Of(jni, thread);
  }
  static SampledThread Signed(int64_t id) { return Sampled(id < 0 ? -id : id, id < 0); }

  // An id that no thread has had before the call.
  int64_t Next(JNIEnv* jni) const;

 private:
  static const ThreadIds* Find(JNIEnv* jni);

  jclass thread_ = nullptr;   // a global reference
  jclass virtual_ = nullptr;  // as above; nullptr: this JVM has no virtual threads
  jfieldID id_ = nullptr;
  jmethodID make_ = nullptr;
};

}  // namespace jprof
