// MountedContexts shows the contexts of virtual threads in the variable otel_thread_ctx_v1 of their
// carriers, for readers outside the process (contextexport=1). The variable points to:
//
//   when a virtual thread is mounted              the record that it has published, or none
//   when the mounted thread changes its context   the new record; Java calls Show for this
//   when the virtual thread is unmounted          the carrier's own record
//
// The class uses extension events of HotSpot's JVMTI. Once started, it runs until the end of the
// JVM, because there is no way to tell a reader that contexts are no longer published. The
// profiler's own signal handlers do not use the variable for virtual threads: they look up the
// context by the virtual thread's id.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "base/result.h"

namespace jprof {

class MountedContexts {
 public:
  // Turns on the events of mounts and unmounts. Repeated calls have no effect once a call has
  // succeeded. Returns an Error if the JVM lacks these events, as all JVMs before JDK 21 do.
  // REQUIRES: the JVM is in the live phase; `jni` belongs to the calling thread; one call at a
  // time.
  static Status Begin(jvmtiEnv* jvmti, JNIEnv* jni);

  // Shows the record that the calling virtual thread has just published, or none if the thread has
  // cleared its context. Does nothing in a forked child. REQUIRES: Begin was called.
  static void Show(int64_t virtual_thread);
};

}  // namespace jprof
