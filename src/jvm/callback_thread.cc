#include "jvm/callback_thread.h"

#include <cstddef>
#include <mutex>

#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// The first release that exports the field whose offset is HotspotLayout::thread_current_id.
constexpr int kFirstReleaseWithThreadId = 24;

}  // namespace

// The jni.h with which the agent is built might lack IsVirtualThread. So the function is called by
// its index in JNI's table of functions (OpenJDK jdk-21+35
// src/java.base/share/native/include/jni.h).
bool IsVirtualThread(JNIEnv* jni, jthread thread) {
  constexpr size_t kPlace = 234;
  using Function = jboolean(JNICALL*)(JNIEnv*, jobject);
  const auto* const table = reinterpret_cast<const Function*>(jni->functions);
  return thread != nullptr && table[kPlace](jni, thread) == JNI_TRUE;
}

const CallbackThread* CallbackThread::OfProcess(jvmtiEnv* jvmti, JNIEnv* jni) {
  static std::mutex mutex;
  static const CallbackThread* found = nullptr;  // guarded by mutex
  const int release = JdkRelease(jvmti);
  if (release < kFirstJdkWithVirtualThreads || release >= kFirstReleaseWithThreadId) return nullptr;
  const std::lock_guard lock(mutex);
  if (found != nullptr) return found;
  const LocalFrame frame(jni, 1);
  const jclass thread = jni->FindClass("java/lang/Thread");
  const jfieldID id = thread == nullptr ? nullptr : jni->GetFieldID(thread, "tid", "J");
  ClearException(jni);
  if (id != nullptr) found = new CallbackThread(id);
  return found;
}

std::optional<int64_t> CallbackThread::IdOfCaller(const CallbackThread* finder, jvmtiEnv* jvmti,
                                                  JNIEnv* jni) {
  jthread thread = nullptr;
  if (finder == nullptr || jvmti->GetCurrentThread(&thread) != JVMTI_ERROR_NONE) {
    return std::nullopt;
  }
  const std::optional<int64_t> id = IdOf(finder, jni, thread);
  jni->DeleteLocalRef(thread);
  return id;
}

}  // namespace jprof
