// Classes that can be unloaded, for tests in a JVM.
#pragma once

#include <jvmti.h>

namespace jprof {

// The JVMTI environment of the test, with the capabilities that need no request.
jvmtiEnv* JvmtiOf(JNIEnv* env);

// A class with a class loader of its own, which can be unloaded once the returned local reference
// is deleted.
jclass NewThrowawayClass(JNIEnv* env);

// As above, without a reference.
void LoadThrowawayClass(JNIEnv* env);

}  // namespace jprof
