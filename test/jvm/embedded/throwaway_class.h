// Creates classes that can be unloaded, for tests in a JVM.
#pragma once

#include <jvmti.h>

namespace jprof {

// Returns a new JVMTI environment, which has only the capabilities that every environment has.
jvmtiEnv* JvmtiOf(JNIEnv* env);

// Returns a class with a class loader of its own. The class can be unloaded once the returned local
// reference is deleted.
jclass NewThrowawayClass(JNIEnv* env);

// Loads a class as NewThrowawayClass does, and deletes the reference.
void LoadThrowawayClass(JNIEnv* env);

}  // namespace jprof
