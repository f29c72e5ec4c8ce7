// Functions that clear the exceptions of JNI calls, and functions that make the errors of failed
// calls. Each kind of failure has one wording.
//
// Thread-safe: the functions have no state.
#pragma once

#include <jni.h>
#include <jvmti.h>

#include <string>

#include "base/result.h"

namespace jprof {

// The kind of exception that ClearException has cleared.
enum class ClearedException {
  kNone,
  kOutOfMemory,  // the same call might succeed when the heap has room
  kOther,
};

// Clears the calling thread's pending exception, if there is one. Called after a JNI call that may
// have failed. REQUIRES: the thread is attached to the JVM; not for signal handlers.
ClearedException ClearException(JNIEnv* jni);

// Fails if the JVM refused the JVMTI call: "the JVM refused GetAllThreads (JVMTI error 110)".
Status CheckAccepted(jvmtiError error, const std::string& call);

// Returns the error "the JVM has no memory `purpose`", with a purpose such as "for a thread" or "to
// look at its classes".
Error NoMemoryInJvm(const std::string& purpose);

// Returns the error of a calling thread that has no JNIEnv.
Error NotAttachedToJvm();

// Returns the error of a JVM that does not export a needed variable, field or function.
Error NotExportedByJvm(const std::string& name);

}  // namespace jprof
