// The errors of calls into the JVM, one wording for each kind of failure.
//
// Thread-safe: no state.
#pragma once

#include <jni.h>
#include <jvmti.h>

#include <string>

#include "base/result.h"

namespace jprof {

// ClearException: ends a call of JNI that may have failed.
//
// On threads that are attached to the JVM, outside handlers.
enum class ClearedException {
  kNone,
  kOutOfMemory,  // the same call may succeed when the heap has room
  kOther,
};

// Clears the calling thread's pending exception, if there is one.
ClearedException ClearException(JNIEnv* jni);

// Fails if the JVM refused the call of JVMTI: "the JVM refused GetAllThreads (JVMTI error 110)".
Status CheckAccepted(jvmtiError error, const std::string& call);

// The JVM has no memory `purpose`: "for a thread", "to look at its classes".
Error NoMemoryInJvm(const std::string& purpose);

// The calling thread has no JNIEnv.
Error NotAttachedToJvm();

// The JVM lacks an exported variable or function that is needed.
Error NotExportedByJvm(const std::string& name);

}  // namespace jprof
