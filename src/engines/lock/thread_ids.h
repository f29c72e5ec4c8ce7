// ThreadIds: identifies the thread of a java.lang.Thread, in callbacks of the JVM and at the stop.
//
// Used on attached threads; not for handlers. One object per process, immutable and never freed.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class ThreadIds {
 public:
  // Returns the object of the process; nullptr: java.lang.Thread of this JVM has no id, or the JVM
  // has no memory to look for it.
  static const ThreadIds* OfProcess(JNIEnv* jni);

  // Returns Thread.threadId(); 0: no thread. Runs no Java code.
  int64_t Of(JNIEnv* jni, jthread thread) const {
    return thread == nullptr ? 0 : jni->GetLongField(thread, id_);
  }
  bool IsVirtual(JNIEnv* jni, jthread thread) const {
    return virtual_ != nullptr && jni->IsInstanceOf(thread, virtual_) != JNI_FALSE;
  }

  bool has_virtual() const { return virtual_ != nullptr; }

  // Returns the slot that a platform thread has, or had when it ended; nullptr: none, or another
  // thread has it by now.
  static const ThreadSlot* SlotOf(int64_t id);

  // Returns the thread of the id; SampledThread(): a platform thread that is not known, or has
  // ended long ago.
  static SampledThread Sampled(int64_t id, bool is_virtual);

  // Returns the thread of the id, which is taken for a virtual thread if it has no slot. REQUIRES:
  // the thread lives.
  SampledThread SampledLiving(int64_t id) const;

  // Returns the id, negative for a virtual thread.
  int64_t SignedOf(JNIEnv* jni, jthread thread) const {
    return IsVirtual(jni, thread) ? -Of(jni, thread) : Of(jni, thread);
  }
  static SampledThread Signed(int64_t id) { return Sampled(id < 0 ? -id : id, id < 0); }

  // Returns an id that no thread has had before the call; 0: the JVM has no memory.
  int64_t Next(JNIEnv* jni) const;

 private:
  static const ThreadIds* Find(JNIEnv* jni);

  jclass thread_ = nullptr;   // a global reference
  jclass virtual_ = nullptr;  // a global reference; nullptr: this JVM has no virtual threads
  jfieldID id_ = nullptr;
  jmethodID make_ = nullptr;
};

}  // namespace jprof
