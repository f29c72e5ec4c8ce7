// Resolution of the class that probes call, for the class that has them.
//
// The JVM resolves it when a method's probe runs for the first time, and asks the class loader of
// the method's class, in Java. Where that loader, or a security manager that it asks, consists of
// methods with probes, those would need the same class, and so on; where the loader refuses the
// class, the program would get a NoClassDefFoundError. Resolved beforehand, neither can happen:
// later resolutions are a look into a table of the JVM's.
//
// On threads that are attached to the JVM, outside handlers.
#pragma once

#include <jni.h>

#include <string_view>

namespace jprof {

// True if `loader` has found the class `name` (internal form) before, so that the JVM will not ask
// it again. Calls no code of the loader. nullptr as `loader`: the boot loader, which has found it.
bool HasFoundProbeClass(JNIEnv* jni, std::string_view name, jobject loader);

// Has the JVM resolve the class by `loader`, on behalf of `referrer`, a class of that loader. False
// if the loader or the security manager refuses it. Runs their code: not while the JVM reads a
// class of the loader, which that code may need.
bool ResolveProbeClass(JNIEnv* jni, std::string_view name, jobject loader, jclass referrer);

}  // namespace jprof
