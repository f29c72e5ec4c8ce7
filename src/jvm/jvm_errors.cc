#include "jvm/jvm_errors.h"

namespace jprof {

// ClearException also returns kOutOfMemory if the call of FindClass below fails. FindClass can run
// Java code of a class loader, and this code fails if memory is short.
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

Status CheckAccepted(jvmtiError error, const std::string& call) {
  if (error == JVMTI_ERROR_NONE) return {};
  return Error("the JVM refused " + call + " (JVMTI error " + std::to_string(error) + ")");
}

Error NoMemoryInJvm(const std::string& purpose) {
  return Error("the JVM has no memory " + purpose);
}

Error NotAttachedToJvm() { return Error("this thread is not attached to the JVM"); }

Error NotExportedByJvm(const std::string& name) {
  return Error("this JVM does not export " + name);
}

}  // namespace jprof
