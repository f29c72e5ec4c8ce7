// The agent's own classes in the boot loader of this JVM. They stay while the JVM lives: code with
// probes that call them might be running.
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

// Defines the class. Returns a local reference; nullptr: the JVM has refused the class, or has a
// class of that name.
jclass DefineBootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes);

// Returns a global reference to the class, which is never freed; defines the class unless another
// copy of the agent has defined it. `methods`: the static methods that the class must have.
Result<jclass> BootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes,
                         std::span<const BootMethod> methods);

// True if the calling thread is in a method of such a class, or in a method called by it, a few
// frames deep: then the thread works for the agent. Such classes call no method of the program.
bool IsInBootClass(jvmtiEnv* jvmti, JNIEnv* jni);

Status BindNative(JNIEnv* jni, jclass boot_class, const char* name, const char* descriptor,
                  void* function);

// Returns an Error if a method of such a class has thrown, and clears the exception. `call`: the
// name of the method.
Status CheckBootCall(JNIEnv* jni, const char* call);

}  // namespace jprof
