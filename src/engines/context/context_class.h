// ContextClass: binds the native methods of the copies of jprof.ThreadContext in the JVM.
//
// A program can have the class in several class loaders, relocated into packages of its own, and
// can have used it before the agent came. A copy is bound when it is prepared, or by Connect if it
// is loaded already.
#pragma once

#include <jvmti.h>

#include "base/result.h"
#include "engines/context/context_buffers.h"
#include "jvm/jvm_events.h"

namespace jprof {

class ContextClass final : public JvmEventListener {
 public:
  // Keeps contexts from now on, to the end of the JVM; repeated calls have no effect. REQUIRES: the
  // live phase; `jni` is the calling thread's; one call at a time.
  static Status Connect(JvmEvents& events, JNIEnv* jni);

  // Shows the contexts of virtual threads to readers outside the process, to the end of the JVM. If
  // the JVM does not report which virtual thread is mounted, logs that this has no effect.
  // REQUIRES: Connect has succeeded.
  static void Export(JvmEvents& events, JNIEnv* jni);

  // Called by Java on the thread of the span, with its virtual thread (0: none) and the begin by
  // CLOCK_MONOTONIC. The context of the thread is that of the span.
  using SpanRecorder = CommonWords::SpanRecorder;

  // Makes Java call `recorder` for scopes that are closed from now on; nullptr: no function, but
  // calls that are running go on. Thread-safe.
  static void RecordSpans(SpanRecorder recorder);

 private:
  ContextClass() = default;

  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override;
  void OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) override;
  void OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) override;

  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
