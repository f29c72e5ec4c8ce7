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
  // True if the capability to retransform classes was requested just now, and this VM deoptimises
  // all compiled code at the request, as VMs up to JDK 22 do.
  bool costs_compiled_code = false;
};

// Requests the capability to retransform classes, unless the environment has it. The capability is
// kept until the JVM ends.
Result<RetransformTerms> AllowRetransformation(jvmtiEnv* jvmti);

// True if the JVM looks at all of its loaded classes anew for each class of a retransformation, and not
// once for all classes, so that the retransformation of thousands of classes takes minutes.
bool RetransformsOneByOne(jvmtiEnv* jvmti);

// Returns an Error if the JVM records an archive of its classes, because probes must not get into
// an archive.
Status CheckNoArchiveIsRecorded(JNIEnv* jni, const VmStructs& structs);

// Returns local references, in the caller's frame, to the loaded classes for which wanted(name) is
// true. `name` is the internal form of the class's name.
Result<std::vector<jclass>> LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni,
                                          const std::function<bool(std::string_view)>& wanted);

// Returns the name of the class in the internal form, in UTF-8; empty if it is unknown.
std::string ClassName(jvmtiEnv* jvmti, jclass clazz);

// Returns the name with dots, as in Java.
std::string DottedName(std::string internal_name);

// True if the class is linked, which JVMTI calls prepared. Its event ClassPrepare has then been
// sent. A class that is not linked must not be redefined, because the JVM would link the class
// first. That can deadlock with a thread that redefines classes in its callback of ClassPrepare:
// during the callback, InstanceKlass::link_class_impl holds the lock of the prepared class
// (src/hotspot/share/oops/instanceKlass.cpp, jdk-17+35).
bool IsPrepared(jvmtiEnv* jvmti, jclass clazz);

// Returns a hash of the name and the loader of a class. The hash is the same when the class is
// loaded and when the class is prepared.
uint64_t IdentityOf(jvmtiEnv* jvmti, std::string_view name, jobject loader);

struct RefusedClass {
  jclass clazz;
  jvmtiError error;
};

// Retransforms all classes in one call, which stops the program once. If the JVM refuses the call,
// splits the classes into halves and retransforms each half in the same way. Returns the classes
// that the JVM has refused.
std::vector<RefusedClass> Retransform(jvmtiEnv* jvmti, std::span<const jclass> classes);

// Returns the reason as a text, such as "it fails verification (JVMTI error 62)".
std::string RefusalText(jvmtiError error);

}  // namespace jprof
