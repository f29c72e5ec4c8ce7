// The errors of calls into the JVM, one wording for each kind of failure.
//
// Thread-safe: no state.
#pragma once

#include <jvmti.h>

#include <string>

#include "base/result.h"

namespace jprof {

// Fails if the JVM refused the call of JVMTI: "the JVM refused GetAllThreads (JVMTI error 110)".
Status CheckAccepted(jvmtiError error, const std::string& call);

// The JVM has no memory `purpose`: "for a thread", "to look at its classes".
Error NoMemoryInJvm(const std::string& purpose);

// The calling thread has no JNIEnv.
Error NotAttachedToJvm();

// The JVM lacks an exported variable or function that is needed.
Error NotExportedByJvm(const std::string& name);

}  // namespace jprof
