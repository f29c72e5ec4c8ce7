// MethodNames: what a recording says about methods, copied while their class is held.
//
// The recorder asks for each method as soon as it meets it in a sample, a fraction of a second
// after; from then on the answer is ours and does not depend on the class any more. A method whose
// class has gone is looked for among the short-lived ones; what is not there either is named as
// unloaded and counted.
//
// One thread, attached to the JVM.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <unordered_map>

#include "jvm/class_catalog.h"
#include "jvm/method_info.h"

namespace jprof {

class MethodNames {
 public:
  MethodNames(jvmtiEnv* jvmti, JNIEnv* jni, const ClassCatalog& catalog)
      : jvmti_(jvmti), jni_(jni), catalog_(catalog) {}

  // The same object for the same id, as long as this one lives.
  const MethodInfo& Of(jmethodID method);

  // Methods whose class had gone before they were asked for.
  uint64_t unloaded() const { return unloaded_; }

 private:
  MethodInfo Capture(jmethodID method);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ClassCatalog& catalog_;
  std::unordered_map<jmethodID, MethodInfo> methods_;
  uint64_t unloaded_ = 0;
};

}  // namespace jprof
