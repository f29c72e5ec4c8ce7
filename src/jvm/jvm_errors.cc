#include "jvm/jvm_errors.h"

namespace jprof {

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
