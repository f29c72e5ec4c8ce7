// Copies what JVMTI tells of a class and its methods.
//
// On an attached thread that holds a reference to the class, so that it cannot be unloaded
// meanwhile. No Java code runs. Several threads may capture at once.
#pragma once

#include <jvmti.h>

#include <memory>

#include "jvm/method_info.h"

namespace jprof {

std::shared_ptr<const ClassInfo> CaptureClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz);

// REQUIRES: `method` belongs to the class that `declaring` was captured from, which is still held.
MethodInfo CaptureMethod(jvmtiEnv* jvmti, jmethodID method,
                         std::shared_ptr<const ClassInfo> declaring);

// A method of which no more than a reason is known, in place of its name.
MethodInfo UnnamedMethod(const char* reason);

}  // namespace jprof
