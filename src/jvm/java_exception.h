// ClearException: ends a call of JNI that may have failed.
//
// On threads that are attached to the JVM, outside handlers.
#pragma once

#include <jni.h>

namespace jprof {

enum class ClearedException {
  kNone,
  kOutOfMemory,  // the same call may succeed when the heap has room
  kOther,
};

// Clears the calling thread's pending exception, if there is one.
ClearedException ClearException(JNIEnv* jni);

}  // namespace jprof
