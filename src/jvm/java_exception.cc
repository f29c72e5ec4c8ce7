#include "jvm/java_exception.h"

namespace jprof {

// Where memory is short, FindClass may run Java code of a class loader and fail as well.
ClearedException ClearException(JNIEnv* jni) {
  const jthrowable thrown = jni->ExceptionOccurred();
  if (thrown == nullptr) return ClearedException::kNone;
  jni->ExceptionClear();
  const jclass out_of_memory = jni->FindClass("java/lang/OutOfMemoryError");
  const bool is_out_of_memory =
      out_of_memory == nullptr || jni->IsInstanceOf(thrown, out_of_memory) != JNI_FALSE;
  jni->ExceptionClear();
  jni->DeleteLocalRef(out_of_memory);
  jni->DeleteLocalRef(thrown);
  return is_out_of_memory ? ClearedException::kOutOfMemory : ClearedException::kOther;
}

}  // namespace jprof
