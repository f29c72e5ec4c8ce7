#include "agent/java_bridge.h"

#include <atomic>
#include <string>

#include "agent/command.h"
#include "engines/method/boot_class.h"
#include "jvm/jni_scope.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "os/own_work.h"

namespace jprof {
namespace {

constexpr char kName[] = "java/jprof/Bridge";
constexpr char kBeanName[] = "java/jprof/BridgeBean";

// True once the bridge has been provided. Relaxed order is enough: it does no harm to provide the
// bridge twice.
std::atomic<bool> g_is_provided{false};

// Executes a command, which is in UTF-8. Returns one byte with the code of ExecuteText, and then
// the answer in UTF-8; nullptr if `command` is nullptr, or if an OutOfMemoryError is pending.
jbyteArray JNICALL ExecuteBytes(JNIEnv* jni, jclass, jbyteArray command) {
  if (command == nullptr) return nullptr;
  std::string words(static_cast<size_t>(jni->GetArrayLength(command)), '\0');
  jni->GetByteArrayRegion(command, 0, static_cast<jsize>(words.size()),
                          reinterpret_cast<jbyte*>(words.data()));
  JavaVM* vm = nullptr;
  static_cast<void>(jni->GetJavaVM(&vm));
  std::string answer;
  const int code = ExecuteText(vm, words, &answer);
  answer.insert(answer.begin(), static_cast<char>(code));
  const jbyteArray bytes = jni->NewByteArray(static_cast<jsize>(answer.size()));
  if (bytes == nullptr) return nullptr;
  jni->SetByteArrayRegion(bytes, 0, static_cast<jsize>(answer.size()),
                          reinterpret_cast<const jbyte*>(answer.data()));
  return bytes;
}

bool IsBound(JNIEnv* jni, jclass bridge) {
  const jmethodID is_bound = jni->GetStaticMethodID(bridge, "isBound", "()Z");
  return is_bound != nullptr && jni->CallStaticBooleanMethod(bridge, is_bound) == JNI_TRUE;
}

}  // namespace

void JavaBridge::Provide(JavaVM* vm) {
  if (g_is_provided.load(std::memory_order_relaxed)) return;
  const OwnWork work;
  const JniScope scope(vm);
  if (!scope) return;
  JNIEnv* const jni = scope.get();
  const LocalFrame frame(jni, 8);
  // The bean is defined first, because the bridge uses it. A failure is ignored here: without the
  // module java.management, there can be no bean.
  DefineBootClass(jni, kBeanName, kBridgeBeanBytes);
  jclass bridge = DefineBootClass(jni, kName, kBridgeBytes);
  bool is_provided = false;
  if (bridge == nullptr) {
    // Another copy of the library has already defined the class. IsBound checks whether that copy
    // has also bound the native method. (It is not called for a class that was just defined here,
    // because that class has no bound method yet.)
    bridge = jni->FindClass(kName);
    is_provided = bridge != nullptr && IsBound(jni, bridge);
    ClearException(jni);
  }
  if (bridge != nullptr && !is_provided) {
    is_provided =
        BindNative(jni, bridge, "execute0", "([B)[B", reinterpret_cast<void*>(ExecuteBytes)).ok();
  }
  if (is_provided) g_is_provided.store(true, std::memory_order_relaxed);
}

}  // namespace jprof

extern "C" {

// The JVM calls this when any class of the program loads the library.
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  jprof::JavaBridge::Provide(vm);
  return JNI_VERSION_1_6;
}

// The native method of jprof.Profiler in old versions of jprof.jar, which do not use the bridge.
JNIEXPORT jbyteArray JNICALL Java_jprof_Profiler_execute0(JNIEnv* jni, jclass clazz,
                                                          jbyteArray command) {
  return jprof::ExecuteBytes(jni, clazz, command);
}

}  // extern "C"
