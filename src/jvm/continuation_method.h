// ContinuationEntryMethod: the method by which a carrier mounts a virtual thread, for a JVM that
// does not export the place of its code: JDK 21 to 24.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace jprof {

// Returns the address of the Method of jdk.internal.vm.Continuation.enterSpecial, which stays: the
// class is of the boot loader. 0: this JVM has no virtual threads, or method ids that are no
// addresses (JDK 26 on), or is out of memory. On an attached thread, in the live phase. Initialises
// no class.
uint64_t ContinuationEntryMethod(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace jprof
