#include "jvm/continuation_method.h"

#include <string_view>

#include "jvm/java_exception.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// Up to then a jmethodID is the address of a Method* (jdk-21+35 src/hotspot/share/oops/method.hpp,
// resolve_jmethod_id), from JDK 26 on a number (JDK-8268406).
constexpr int kFirstWithNumbers = 26;

bool HasName(jvmtiEnv* jvmti, jmethodID method, std::string_view expected) {
  JvmtiPtr<char> name(jvmti);
  return jvmti->GetMethodName(method, name.out(), nullptr, nullptr) == JVMTI_ERROR_NONE &&
         name.get() == expected;
}

}  // namespace

uint64_t ContinuationEntryMethod(jvmtiEnv* jvmti, JNIEnv* jni) {
  const int release = JdkRelease(jvmti);
  if (release < kFirstJdkWithVirtualThreads || release >= kFirstWithNumbers) return 0;
  const LocalFrame frame(jni, 1);
  const jclass continuation = jni->FindClass("jdk/internal/vm/Continuation");
  ClearException(jni);
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti);
  if (continuation == nullptr ||
      jvmti->GetClassMethods(continuation, &count, methods.out()) != JVMTI_ERROR_NONE) {
    return 0;
  }
  for (jint i = 0; i < count; ++i) {
    if (HasName(jvmti, methods[i], "enterSpecial")) {
      return *reinterpret_cast<const uint64_t*>(methods[i]);
    }
  }
  return 0;
}

}  // namespace jprof
