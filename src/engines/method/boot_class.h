// The agent's own classes in the boot loader of this JVM. They stay until the JVM ends, because
// code with probes that call them might be running.
//
// The functions are called on threads that are attached to the JVM; not for handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace jprof {

struct BootMethod {
  jmethodID* id;  // set by BootClass
  const char* name;
  const char* descriptor;
};

// Defines the class. Returns a local reference; nullptr if the JVM refuses the class, or has a
// class of that name already.
jclass DefineBootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes);

// Returns a global reference to the class; the reference is never freed. Defines the class, unless
// another copy of the agent has defined it already. `methods` are the static methods that the class
// must have; their ids are set.
Result<jclass> BootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes,
                         std::span<const BootMethod> methods);

// True if a method of a class that BootClass has returned is among the innermost eight frames of
// the calling thread. The thread then works for the agent, because these classes call no method of
// the program.
bool IsInBootClass(jvmtiEnv* jvmti, JNIEnv* jni);

// Makes `function` the implementation of a native method of the class.
Status BindNative(JNIEnv* jni, jclass boot_class, const char* name, const char* descriptor,
                  void* function);

// Returns an Error, and clears the exception, if a call to a method of a class from BootClass has
// thrown an exception. `call` is the name of the method.
Status CheckBootCall(JNIEnv* jni, const char* call);

}  // namespace jprof
