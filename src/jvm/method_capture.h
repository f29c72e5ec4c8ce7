// JvmtiLoader, JvmtiClass and JvmtiMethod read the description of a class loader, a class or a
// method, and own its texts in memory of JVMTI. MakeLoader, MakeClass and MakeMethod convert the
// texts to ClassLoaderInfo, ClassInfo and MethodInfo.
//
// A JvmtiLoader, JvmtiClass or JvmtiMethod is used on an attached thread that holds a reference to
// the class, so that the class cannot be unloaded meanwhile. Different threads can use different
// objects at once. The objects run no Java code. MakeClass, MakeLoader and MakeMethod run on any
// thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "jvm/jvmti_ptr.h"
#include "jvm/method_info.h"
#include "sigsafe/stack/method_records.h"

namespace jprof {

// All texts below are in modified UTF-8; a class is named by its signature: "Ljava/lang/String;".
struct LoaderTexts {
  std::string_view signature;  // the loader's class
  std::string_view name;       // name that the program gave the loader; empty: none
};

struct ClassTexts {
  std::string_view signature;  // empty: JVMTI failed
  uint32_t modifiers = 0;
  std::string_view source_file;       // empty: not read, or not known
  std::optional<LoaderTexts> loader;  // nullopt: the boot loader

  bool IsHidden() const;
};

struct MethodTexts {
  std::string_view name;  // empty: JVMTI failed
  std::string_view descriptor;
  uint32_t modifiers = 0;
  std::span<const jvmtiLineNumberEntry> lines;
};

// Owns the texts of a class loader. Leaves local references in the caller's JNI frame.
class JvmtiLoader {
 public:
  // REQUIRES: loader is not null.
  JvmtiLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader);
  ~JvmtiLoader();
  JvmtiLoader(const JvmtiLoader&) = delete;
  JvmtiLoader& operator=(const JvmtiLoader&) = delete;

  const LoaderTexts& texts() const { return texts_; }

 private:
  JNIEnv* const jni_;
  JvmtiPtr<char> signature_;
  jstring name_;
  const char* name_chars_ = nullptr;
  LoaderTexts texts_;
};

// Owns the texts of a class and its loader. Leaves local references in the caller's JNI frame.
class JvmtiClass {
 public:
  JvmtiClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz);
  JvmtiClass(const JvmtiClass&) = delete;
  JvmtiClass& operator=(const JvmtiClass&) = delete;

  // Adds the name of the source file, which only descriptions of methods need.
  void ReadSourceFile(jvmtiEnv* jvmti, jclass clazz);

  const ClassTexts& texts() const { return texts_; }

 private:
  JvmtiPtr<char> signature_;
  JvmtiPtr<char> source_file_;
  std::optional<JvmtiLoader> loader_;
  ClassTexts texts_;
};

// Owns the texts of a method.
class JvmtiMethod {
 public:
  // REQUIRES: the class of `method` is loaded.
  JvmtiMethod(jvmtiEnv* jvmti, jmethodID method);

  const MethodTexts& texts() const { return texts_; }

 private:
  JvmtiPtr<char> name_;
  JvmtiPtr<char> descriptor_;
  JvmtiPtr<jvmtiLineNumberEntry> lines_;
  MethodTexts texts_;
};

std::shared_ptr<const ClassInfo> MakeClass(const ClassTexts& texts);
// Return the description in a record; that of a method has no lines. REQUIRES: record.declaring is
// not nullptr.
std::shared_ptr<const ClassInfo> MakeClass(const ClassRecord& record);
MethodInfo MakeMethod(const MethodRecord& record, std::shared_ptr<const ClassInfo> declaring);
std::shared_ptr<const ClassLoaderInfo> MakeLoader(const LoaderTexts& texts);
MethodInfo MakeMethod(const MethodTexts& texts, std::shared_ptr<const ClassInfo> declaring);

// Returns the description of a method whose name is unknown. In the description the method has the
// name `reason` and the class kMarkerClass.
MethodInfo UnnamedMethod(std::string_view reason);

}  // namespace jprof
