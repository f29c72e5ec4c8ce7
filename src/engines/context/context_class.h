// ContextClass: the copies of jprof.ThreadContext in the JVM, whose native methods are here.
//
// A program may have the class in several class loaders, relocated into packages of its own, and
// may have used it before the agent came. Every copy is bound when it is prepared, and those that
// are there already at Connect.
#pragma once

#include <jvmti.h>

#include "base/result.h"
#include "engines/context/context_buffers.h"
#include "jvm/jvm_events.h"

namespace jprof {

class ContextClass final : public JvmEventListener {
 public:
  // From now on contexts are kept, to the end of the JVM; repeated calls have no effect. REQUIRES:
  // the live phase; `jni` is the calling thread's; one call at a time.
  static Status Connect(JvmEvents& events, JNIEnv* jni);

  // Readers outside of the process see contexts of virtual threads, to the end of the JVM; where
  // the JVM cannot tell which one is mounted, a line says so. REQUIRES: Connect has succeeded.
  static void Export(JvmEvents& events, JNIEnv* jni);

  // Called by Java, on the thread of the span, with its virtual thread (0: none) and the begin by
  // CLOCK_MONOTONIC. The context of the thread is that of the span.
  using SpanRecorder = CommonWords::SpanRecorder;

  // Scopes that are closed from now on are told to `recorder`; nullptr: none are, but calls that
  // have begun go on. Thread-safe.
  static void RecordSpans(SpanRecorder recorder);

 private:
  ContextClass() = default;

  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override;
  void OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) override;
  void OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) override;

  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
