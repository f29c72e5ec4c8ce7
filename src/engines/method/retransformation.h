// Retransformation of classes: the JVM makes all agents transform a loaded class again.
//
// The functions are called on threads that are attached to the JVM; not for handlers. LoadedClasses
// is called outside callbacks of the VM.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jvm/vm_structs.h"

namespace jprof {

struct RetransformTerms {
  // True if the capability was requested in a running VM that then deoptimises all of its code (up
  // to JDK 22).
  bool costs_compiled_code = false;
};

// Requests the capability, which is kept.
Result<RetransformTerms> AllowRetransformation(jvmtiEnv* jvmti);

// Returns an Error if the JVM records an archive of its classes, into which no probe must get.
Status CheckNoArchiveIsRecorded(JNIEnv* jni, const VmStructs& structs);

// Returns local references, in the caller's frame, to the loaded classes for whose name, in the
// internal form, wanted(name) is true.
Result<std::vector<jclass>> LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni,
                                          const std::function<bool(std::string_view)>& wanted);

// Returns the name of the class in the internal form, in UTF-8; empty: unknown.
std::string ClassName(jvmtiEnv* jvmti, jclass clazz);

// Returns the name with dots, as in Java.
std::string DottedName(std::string internal_name);

// True if the class is linked, which JVMTI calls prepared: its ClassPrepare has been sent. To
// redefine a class that is not, the JVM would link it, which can deadlock with a redefinition in
// ClassPrepare (InstanceKlass::link_class_impl in src/hotspot/share/oops/instanceKlass.cpp,
// jdk-17+35, holds the class's lock then).
bool IsPrepared(jvmtiEnv* jvmti, jclass clazz);

// Returns a number that is the same for a class while it is loaded and when it is prepared, and
// differs by loader.
uint64_t IdentityOf(jvmtiEnv* jvmti, std::string_view name, jobject loader);

struct RefusedClass {
  jclass clazz;
  jvmtiError error;
};

// Retransforms all classes in one call, which stops the program once; if the JVM refuses, each half
// by itself. Returns the classes that the JVM has refused.
std::vector<RefusedClass> Retransform(jvmtiEnv* jvmti, std::span<const jclass> classes);

// Returns "it fails verification (JVMTI error 62)".
std::string RefusalText(jvmtiError error);

}  // namespace jprof
