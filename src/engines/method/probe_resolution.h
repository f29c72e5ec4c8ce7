// Resolution of the class that probes call, for a class that has probes.
//
// The JVM resolves that class when a method's probe runs for the first time, and asks the class
// loader of the method's class, in Java. If methods of that loader, or of a security manager that
// it asks, have probes, these would need the same class, and so on; if the loader refuses the
// class, the program would get a NoClassDefFoundError. Neither can happen if the class was resolved
// before: later resolutions only read a table of the JVM.
//
// The functions are called on threads that are attached to the JVM; not for handlers.
#pragma once

#include <jni.h>

#include <string_view>

namespace jprof {

// True if `loader` has found the class `name` (internal form) before, so that the JVM will not ask
// it again. Calls no code of the loader. `loader`: nullptr is the boot loader, which has the class.
bool HasFoundProbeClass(JNIEnv* jni, std::string_view name, jobject loader);

// Makes the JVM resolve the class by `loader`, on behalf of `referrer`, a class of that loader.
// Returns false if the loader or the security manager refuses it. Runs their code. REQUIRES: the
// JVM is not reading a class of the loader on this thread, which that code might need.
bool ResolveProbeClass(JNIEnv* jni, std::string_view name, jobject loader, jclass referrer);

}  // namespace jprof
