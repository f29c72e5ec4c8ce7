// CheckIsHotSpot refuses JVMs other than HotSpot before the agent uses anything of them. OpenJ9, for
// example, offers JVMTI and even AsyncGetCallTrace, but none of the other things that the agent
// reads.
//
// Called at the first command, on any thread outside signal handlers.
#pragma once

#include <jni.h>

#include "base/result.h"

namespace jprof {

// Returns an error that names the JVM if it is not HotSpot. HotSpot is the JVM whose libjvm.so
// exports tables for debuggers (gHotSpotVMStructs).
Status CheckIsHotSpot(JavaVM* vm);

}  // namespace jprof
