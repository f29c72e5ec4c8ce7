// Classes of the agent's own in the boot loader of this JVM, which stay as long as the JVM lives:
// code with probes that call them may be running.
//
// On threads that are attached to the JVM, outside handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace jprof {

struct BootMethod {
  jmethodID* id;  // is set
  const char* name;
  const char* descriptor;
};

// Defines the class. Returns a local reference; nullptr: the JVM has refused it, or has a class of
// that name.
jclass DefineBootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes);

// A global reference, never freed; or why there is none. Another copy of the agent may have defined
// the class: it is everybody's. `methods`: static ones that it must have.
Result<jclass> BootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes,
                         std::span<const BootMethod> methods);

// True if the calling thread is in a method of such a class, or in one that it has called, a few
// frames deep: what it does then it does for the agent. Such classes call nothing of the program.
bool IsInBootClass(jvmtiEnv* jvmti, JNIEnv* jni);

Status BindNative(JNIEnv* jni, jclass boot_class, const char* name, const char* descriptor,
                  void* function);

// After a call of one of its methods.
Status CheckBootCall(JNIEnv* jni, const char* call);

}  // namespace jprof
