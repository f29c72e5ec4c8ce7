// MethodNames: what a recording says about methods, copied while their class is held.
//
// The recorder asks for each method as soon as it meets it in a sample, a fraction of a second
// after; from then on the answer is ours and does not depend on the class any more. A class that
// was unloaded in between is named as such and counted.
//
// One thread, attached to the JVM.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "jvm/class_catalog.h"

namespace jprof {

struct ClassLoaderInfo {
  std::string class_name;  // internal form
  std::string name;        // as given by the program; often empty
};

struct ClassInfo {
  std::string name;  // internal form: java/lang/String
  uint32_t modifiers = 0;
  bool hidden = false;
  std::shared_ptr<const ClassLoaderInfo> loader;  // nullptr: the boot loader
};

struct MethodInfo {
  struct Line {
    int32_t first_bci;
    int32_t number;
  };

  std::shared_ptr<const ClassInfo> declaring;  // never nullptr
  std::string name;
  std::string descriptor;
  uint32_t modifiers = 0;
  std::vector<Line> lines;  // by first_bci; empty: compiled without

  // The source line of a bytecode index; -1 when unknown.
  int32_t LineAt(int32_t bci) const;
};

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
  std::shared_ptr<const ClassInfo> CaptureClass(jclass declaring);
  std::shared_ptr<const ClassLoaderInfo> CaptureLoader(jclass declaring);
  std::string SignatureOf(jclass clazz);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ClassCatalog& catalog_;
  std::unordered_map<jmethodID, MethodInfo> methods_;
  uint64_t unloaded_ = 0;
};

}  // namespace jprof
