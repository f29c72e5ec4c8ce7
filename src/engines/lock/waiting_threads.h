// WaitingThreads: the platform threads that wait at a moment, as the JVM has them. JVMTI has no
// list of virtual threads.
//
// On an attached thread, outside callbacks of the JVM; the references are the caller's frame's.
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
  // The JVM itself waits: kMonitorWait, for the end of a class's initialization. Else 0.
  uint64_t monitor = 0;

  bool is_class_initialization() const { return monitor != 0; }
};

// An Error: the JVM has no memory for the list.
Result<std::vector<WaitingThread>> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  const ThreadIds& ids);

// Whether one of the innermost `depth` frames of the thread is of a method of the class, by its
// signature. nullptr: the calling thread.
bool HasFrameOf(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jint depth, const char* signature);

}  // namespace jprof
