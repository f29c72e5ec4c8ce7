// MountedContexts: shows the contexts of virtual threads in otel_thread_ctx_v1 of their carriers,
// for readers outside the process (contextexport=1).
//
//   mounted      ─▶ the record that the virtual thread has published, or none
//   put, clear   ─▶ the new record: Java calls Show
//   unmounted    ─▶ the carrier's own record
//
// Uses extension events of HotSpot's JVMTI. Started once, and kept to the end of the JVM: there is
// no way to tell a reader that contexts are not published any more. The profiler's own handlers do
// not need it.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "base/result.h"

namespace jprof {

class MountedContexts {
 public:
  // Starts the events; repeated calls have no effect. Fails on a JVM without such events, before
  // JDK 21. REQUIRES: the live phase; `jni` is the calling thread's; one call at a time.
  static Status Begin(jvmtiEnv* jvmti, JNIEnv* jni);

  // Shows the record that the calling virtual thread, which is mounted, has just published, or
  // none. REQUIRES: Begin was called.
  static void Show(int64_t virtual_thread);
};

}  // namespace jprof
