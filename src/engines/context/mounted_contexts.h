// MountedContexts: the contexts of virtual threads in otel_thread_ctx_v1 of their carriers, for
// readers outside of the process (contextexport=1).
//
//   mounted      ─▶ the record that the virtual thread has published, or none
//   put, clear   ─▶ the new one: Java calls Show
//   unmounted    ─▶ the carrier's own
//
// By extension events of HotSpot's JVMTI. Begun once, and kept to the end of the JVM: no reader can
// be told that contexts are not published any more. Handlers of the profiler do not need it.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "base/result.h"

namespace jprof {

class MountedContexts {
 public:
  // Repeated calls have no effect. Fails on a JVM without such events, before JDK 21. REQUIRES: the
  // live phase; `jni` is the calling thread's; one call at a time.
  static Status Begin(jvmtiEnv* jvmti, JNIEnv* jni);

  // The calling virtual thread, which is mounted, has published another record, or none. REQUIRES:
  // Begin was called.
  static void Show(int64_t virtual_thread);
};

}  // namespace jprof
