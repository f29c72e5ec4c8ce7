// Retransformation of classes: the JVM asks all agents again what a loaded class is to be.
//
// On threads that are attached to the JVM, outside handlers and callbacks of the VM.
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
  // The capability is asked for in a running VM that then deoptimises all of its code (up to JDK
  // 22).
  bool costs_compiled_code = false;
};

// Asks for the capability; it stays.
Result<RetransformTerms> AllowRetransformation(jvmtiEnv* jvmti);

// Returns an Error where the JVM records an archive of its classes, which no probe must get into.
Status CheckNoArchiveIsRecorded(JNIEnv* jni, const VmStructs& structs);

// Local references to the loaded classes whose name, in the internal form, is `wanted`; they are
// the caller's frame's.
Result<std::vector<jclass>> LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni,
                                          const std::function<bool(std::string_view)>& wanted);

// In the internal form, UTF-8; empty: unknown.
std::string ClassName(jvmtiEnv* jvmti, jclass clazz);

// The name with dots, as in Java.
std::string DottedName(std::string internal_name);

// Whether the class is linked, in terms of JVMTI prepared: its ClassPrepare has been sent. The JVM
// would link one that is not to redefine it, which may deadlock with a redefinition in ClassPrepare
// (InstanceKlass::link_class_impl in src/hotspot/share/oops/instanceKlass.cpp, jdk-17+35, has the
// class's lock held then).
bool IsPrepared(jvmtiEnv* jvmti, jclass clazz);

// The same for a class while it is loaded and when it is prepared, another one for each loader.
uint64_t IdentityOf(jvmtiEnv* jvmti, std::string_view name, jobject loader);

struct RefusedClass {
  jclass clazz;
  jvmtiError error;
};

// Retransforms all in one call, which stops the program once; where the JVM refuses that, each half
// by itself. Returns the classes that the JVM has refused.
std::vector<RefusedClass> Retransform(jvmtiEnv* jvmti, std::span<const jclass> classes);

// "it failed verification (JVMTI error 62)".
std::string RefusalText(jvmtiError error);

}  // namespace jprof
