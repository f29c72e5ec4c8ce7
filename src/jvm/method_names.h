// MethodNames: the descriptions of methods in a recording, copied while their class is held.
//
// The recorder asks for each method as soon as it meets it in a sample, a fraction of a second
// after; from then on the answer is ours and does not depend on the class any more. A method whose
// class is unloaded is looked up among the short-lived methods; a method that is not there either
// is named as unloaded and counted.
//
// Bounded: a method that no stack of this chunk or the one before names is dropped, for a program
// may make new classes without end.
//
// One thread, attached to the JVM.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>

#include "base/recently_used.h"
#include "jvm/class_catalog.h"
#include "jvm/method_info.h"

namespace jprof {

class MethodNames {
 public:
  MethodNames(jvmtiEnv* jvmti, JNIEnv* jni, const ClassCatalog& catalog)
      : jvmti_(jvmti), jni_(jni), catalog_(catalog) {}

  // Valid to the end of the chunk.
  const MethodInfo& Of(jmethodID method);

  // A stack that is kept still has this method: a name that is known stays.
  void Keep(jmethodID method) { methods_.Find(method); }

  void BeginChunk() { methods_.BeginGeneration(); }

  size_t size() const { return methods_.size(); }

  // Methods whose class was unloaded before the recorder met them.
  uint64_t unloaded() const { return unloaded_; }

 private:
  MethodInfo Capture(jmethodID method);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ClassCatalog& catalog_;
  RecentlyUsed<jmethodID, MethodInfo> methods_;  // a generation is a chunk
  uint64_t unloaded_ = 0;
};

}  // namespace jprof
