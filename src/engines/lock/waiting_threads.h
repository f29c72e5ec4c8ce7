// WaitingThreads: lists the platform threads that wait now, as the JVM reports them. JVMTI has no
// list of virtual threads.
//
// Called on an attached thread, outside callbacks of the JVM; the references are in the caller's
// frame.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/wait_type.h"
#include "engines/lock/thread_ids.h"

namespace jprof {

struct WaitingThread {
  jthread thread;
  int64_t id;
  WaitType type;
  // The monitor by which the JVM itself waits, for the end of a class's initialization (`type` is
  // kMonitorWait); 0: it does not.
  uint64_t monitor = 0;

  bool is_class_initialization() const { return monitor != 0; }
};

// Returns the waiting threads, or an Error if the JVM has no memory for the list.
Result<std::vector<WaitingThread>> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  const ThreadIds& ids);

// True if one of the innermost `depth` frames of the thread is that of a method of the class with
// the signature. `thread`: nullptr is the calling thread.
bool HasFrameOf(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jint depth, const char* signature);

}  // namespace jprof
