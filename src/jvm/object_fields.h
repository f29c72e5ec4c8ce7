// ObjectFields: where fields are in Java objects, as the JDK's own code tells.
//
// On an attached thread, outside handlers; runs Java code of the JDK (jdk.internal.misc.Unsafe,
// method objectFieldOffset).
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>

namespace jprof {

class ObjectFields {
 public:
  explicit ObjectFields(JNIEnv* jni);
  ~ObjectFields();
  ObjectFields(const ObjectFields&) = delete;
  ObjectFields& operator=(const ObjectFields&) = delete;

  // Byte offset; nullopt: there is no such field, or this JDK does not tell. `class_name`: with
  // dots, of a class of the boot loader, which is not initialised for this: some start threads.
  std::optional<uint32_t> OffsetOf(const char* class_name, const char* field) const;

 private:
  jobject ClassNamed(const char* class_name) const;

  JNIEnv* const jni_;
  const bool has_frame_;
  jclass class_ = nullptr;  // java.lang.Class
  jmethodID for_name_ = nullptr;
  jobject unsafe_ = nullptr;
  jmethodID object_field_offset_ = nullptr;
};

}  // namespace jprof
