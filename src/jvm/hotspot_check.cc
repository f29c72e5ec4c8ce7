#include "jvm/hotspot_check.h"

#include <jvmti.h>

#include <string>

#include "jvm/jvmti_ptr.h"
#include "jvm/libjvm.h"

namespace jprof {
namespace {

// Returns the name of the JVM in parentheses, after a space; an empty text if the JVM does not
// answer. REQUIRES: the JVM is not HotSpot, in which this environment could be the first one
// (AttachPause).
std::string NameOf(JavaVM* vm) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2) != JNI_OK) return "";
  std::string name;
  {
    JvmtiPtr<char> value(jvmti);
    if (jvmti->GetSystemProperty("java.vm.name", value.out()) == JVMTI_ERROR_NONE &&
        value.get() != nullptr) {
      name = std::string(" (") + value.get() + ")";
    }
  }
  jvmti->DisposeEnvironment();
  return name;
}

}  // namespace

Status CheckIsHotSpot(JavaVM* vm) {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  if (libjvm.value().Symbol("gHotSpotVMStructs") != nullptr) return {};
  return Error("this JVM" + NameOf(vm) +
               " is not HotSpot: jprof profiles HotSpot JVMs (OpenJDK and its builds) only");
}

}  // namespace jprof
