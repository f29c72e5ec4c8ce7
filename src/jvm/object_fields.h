// ObjectFields: finds the offsets of fields in Java objects by jdk.internal.misc.Unsafe
// (objectFieldOffset).
//
// Used on one attached thread, outside signal handlers. Runs Java code of the JDK.
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

  // Returns the offset of a field in bytes; nullopt if there is no such field, or this JDK does not
  // report offsets. `class_name` is the name, with dots, of a class of the boot loader. The call
  // does not initialise the class: the initialisers of some classes start threads.
  std::optional<uint32_t> OffsetOf(const char* class_name, const char* field) const;

  // True if an offset was not found because the Java heap was full. Another ObjectFields might find
  // the offset later.
  bool ran_out_of_memory() const { return ran_out_of_memory_; }

 private:
  // Clears the exception that the last JNI call has thrown. Returns true if there was one.
  bool HasFailed() const;
  jobject ClassNamed(const char* class_name) const;

  JNIEnv* const jni_;
  const bool has_frame_;
  jclass class_ = nullptr;  // java.lang.Class
  jmethodID for_name_ = nullptr;
  jobject unsafe_ = nullptr;
  jmethodID object_field_offset_ = nullptr;
  mutable bool ran_out_of_memory_ = false;
};

}  // namespace jprof
