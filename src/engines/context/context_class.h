// ContextClass binds the native methods of the copies of jprof.ThreadContext in the JVM.
//
// A program can have the class in several class loaders and relocated to other packages, and might
// have used it before the agent was loaded. A copy is bound when the JVM prepares it, or by Connect
// if it is loaded already.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "base/result.h"
#include "jvm/jvm_events.h"

namespace jprof {

class ContextClass final : public JvmEventListener {
 public:
  // Binds all copies of the class, from now on to the end of the JVM, so that samples have the
  // program's contexts. Repeated calls have no effect once a call has succeeded. REQUIRES: the JVM
  // is in the live phase; `jni` belongs to the calling thread; one call at a time.
  static Status Connect(JvmEvents& events, JNIEnv* jni);

  // Shows the contexts of virtual threads to readers outside the process, from now on to the end of
  // the JVM (mounted_contexts.h). If the JVM does not report which virtual thread is mounted, only
  // logs this. REQUIRES: Connect has succeeded.
  static void Export(JvmEvents& events, JNIEnv* jni);

  // A function that Java calls at the end of a span, on the span's thread, while the thread's
  // context is still that of the span. `virtual_thread`: the id of the virtual thread; 0 for a
  // platform thread. `begin_ns`: the start of the span by CLOCK_MONOTONIC.
  using SpanRecorder = void (*)(int64_t virtual_thread, int64_t begin_ns);

  // Makes Java call `recorder` for each scope that is closed from now on, or no function if
  // `recorder` is nullptr. Does not wait for running calls of an earlier recorder. Thread-safe.
  static void RecordSpans(SpanRecorder recorder);

 private:
  ContextClass() = default;

  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override;
  void OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) override;
  void OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) override;

  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
