// Descriptions of a class and its methods: as JVMTI gives them, and converted to ClassInfo and
// MethodInfo.
//
// On an attached thread that holds a reference to the class, so that it cannot be unloaded
// meanwhile. No Java code runs. Several threads may capture at once. Make...: any thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "jvm/jvmti_ptr.h"
#include "jvm/method_info.h"

namespace jprof {

// Texts in modified UTF-8, classes as signatures: "Ljava/lang/String;".
struct ClassTexts {
  std::string_view signature;  // empty: not known
  uint32_t modifiers = 0;
  bool has_loader = false;  // false: the boot loader
  std::string_view loader_signature;
  std::string_view loader_name;

  bool IsHidden() const;
};

struct MethodTexts {
  std::string_view name;  // empty: not known
  std::string_view descriptor;
  uint32_t modifiers = 0;
  std::span<const jvmtiLineNumberEntry> lines;
};

// Holds the texts of a class. Its local references are in the caller's frame.
class JvmtiClass {
 public:
  JvmtiClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz);
  ~JvmtiClass();
  JvmtiClass(const JvmtiClass&) = delete;
  JvmtiClass& operator=(const JvmtiClass&) = delete;

  const ClassTexts& texts() const { return texts_; }

 private:
  void ReadLoader(jvmtiEnv* jvmti, jobject loader);

  JNIEnv* const jni_;
  JvmtiPtr<char> signature_;
  JvmtiPtr<char> loader_signature_;
  jstring name_ = nullptr;
  const char* name_chars_ = nullptr;
  ClassTexts texts_;
};

class JvmtiMethod {
 public:
  JvmtiMethod(jvmtiEnv* jvmti, jmethodID method);

  const MethodTexts& texts() const { return texts_; }

 private:
  JvmtiPtr<char> name_;
  JvmtiPtr<char> descriptor_;
  JvmtiPtr<jvmtiLineNumberEntry> lines_;
  MethodTexts texts_;
};

std::shared_ptr<const ClassInfo> MakeClass(const ClassTexts& texts);

// As MakeClass has it; nullptr: the boot loader.
std::shared_ptr<const ClassLoaderInfo> MakeLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader);
MethodInfo MakeMethod(const MethodTexts& texts, std::shared_ptr<const ClassInfo> declaring);

// A method of which no more than a reason is known, in place of its name.
MethodInfo UnnamedMethod(std::string_view reason);

}  // namespace jprof
