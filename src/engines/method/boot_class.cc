#include "engines/method/boot_class.h"

#include <atomic>
#include <mutex>
#include <string>

#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

constexpr size_t kMostClasses = 16;

// Global references to the classes; they are never freed. The first nullptr ends the list. The
// release store in Remember is paired with the acquire load in IsKnown, so that a thread that loads
// a reference sees a complete one.
std::atomic<jclass> g_boot_classes[kMostClasses];

bool IsKnown(JNIEnv* jni, jclass clazz) {
  for (const std::atomic<jclass>& known : g_boot_classes) {
    const jclass boot_class = known.load(std::memory_order_acquire);
    if (boot_class == nullptr) return false;
    if (jni->IsSameObject(boot_class, clazz) != JNI_FALSE) return true;
  }
  return false;
}

void Remember(JNIEnv* jni, jclass made) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (IsKnown(jni, made)) return;
  for (std::atomic<jclass>& entry : g_boot_classes) {
    if (entry.load(std::memory_order_relaxed) != nullptr) continue;
    entry.store(made, std::memory_order_release);
    return;
  }
}

jclass DefineOrFind(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes) {
  jclass made = DefineBootClass(jni, name, bytes);
  if (made != nullptr) return made;
  made = jni->FindClass(name);
  if (made == nullptr) jni->ExceptionClear();
  return made;
}

}  // namespace

jclass DefineBootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes) {
  jclass made = jni->DefineClass(name, nullptr, reinterpret_cast<const jbyte*>(bytes.data()),
                                 static_cast<jsize>(bytes.size()));
  if (made == nullptr) jni->ExceptionClear();
  return made;
}

Result<jclass> BootClass(JNIEnv* jni, const char* name, std::span<const uint8_t> bytes,
                         std::span<const BootMethod> methods) {
  const LocalFrame frame(jni, 8);
  const jclass found = DefineOrFind(jni, name, bytes);
  if (found == nullptr) return Error("the JVM refused the class of the probes");
  for (const BootMethod& method : methods) {
    *method.id = jni->GetStaticMethodID(found, method.name, method.descriptor);
    if (*method.id != nullptr) continue;
    jni->ExceptionClear();
    return Error(std::string("the class of the probes has no ") + method.name +
                 ": another version of the agent has defined it, or the JVM is out of memory");
  }
  const auto kept = static_cast<jclass>(jni->NewGlobalRef(found));
  if (kept == nullptr) return NoMemoryInJvm("for the class of the probes");
  Remember(jni, kept);
  return kept;
}

bool IsInBootClass(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr jint kDepth = 8;
  if (g_boot_classes[0].load(std::memory_order_acquire) == nullptr) return false;
  jvmtiFrameInfo frames[kDepth];
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, 0, kDepth, frames, &count) != JVMTI_ERROR_NONE) return false;
  const LocalFrame locals(jni, kDepth);
  for (jint i = 0; i < count; ++i) {
    jclass declaring = nullptr;
    if (jvmti->GetMethodDeclaringClass(frames[i].method, &declaring) != JVMTI_ERROR_NONE) continue;
    if (IsKnown(jni, declaring)) return true;
  }
  return false;
}

Status BindNative(JNIEnv* jni, jclass boot_class, const char* name, const char* descriptor,
                  void* function) {
  // The JVM does not modify the strings.
  const JNINativeMethod native{const_cast<char*>(name), const_cast<char*>(descriptor), function};
  if (jni->RegisterNatives(boot_class, &native, 1) == JNI_OK) return {};
  jni->ExceptionClear();
  return Error("the JVM refused RegisterNatives for the class of the probes");
}

Status CheckBootCall(JNIEnv* jni, const char* call) {
  if (jni->ExceptionCheck() == JNI_FALSE) return {};
  jni->ExceptionClear();
  return Error(std::string("the probes' ") + call +
               " has failed in the JVM: no memory in its heap");
}

}  // namespace jprof
