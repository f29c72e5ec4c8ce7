#include "engines/validate/late_stacks.h"

#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {

LateStacks::LateStacks(JavaVM* vm, jvmtiEnv* jvmti) : vm_(vm), jvmti_(jvmti) {
  char name[] = "jprof validate";
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, name, nullptr};
  JNIEnv* jni = nullptr;
  if (vm_->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), &arguments) != JNI_OK) {
    return;
  }
  jni_ = jni;
  const LocalFrame frame(jni_, 4);
  const jclass thread = jni_->FindClass("java/lang/Thread");
  if (thread != nullptr) id_ = jni_->GetFieldID(thread, "tid", "J");
  if (id_ == nullptr) jni_->ExceptionClear();
}

LateStacks::~LateStacks() {
  if (jni_ == nullptr) return;
  Forget();
  vm_->DetachCurrentThread();
}

void LateStacks::Forget() {
  for (const auto& [id, thread] : threads_) jni_->DeleteGlobalRef(thread);
  threads_.clear();
}

void LateStacks::List() {
  listed_ns_ = MonotonicNanos();
  Forget();
  const LocalFrame frame(jni_, LocalFrame::kMost);
  JvmtiPtr<jthread> threads(jvmti_);
  jint count = 0;
  if (jvmti_->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) {
    const jobject kept = jni_->NewGlobalRef(threads[i]);
    if (kept == nullptr) continue;
    const auto [place, is_new] =
        threads_.emplace(jni_->GetLongField(threads[i], id_), static_cast<jthread>(kept));
    if (!is_new) jni_->DeleteGlobalRef(kept);
  }
}

std::optional<std::vector<jvmtiFrameInfo>> LateStacks::Of(int64_t thread) {
  constexpr jint kMostFrames = 2048;
  if (jni_ == nullptr || id_ == nullptr) return std::nullopt;
  if (MonotonicNanos() - listed_ns_ > kListInterval) List();
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return std::nullopt;
  std::vector<jvmtiFrameInfo> frames(kMostFrames);
  jint count = 0;
  if (jvmti_->GetStackTrace(found->second, 0, kMostFrames, frames.data(), &count) !=
      JVMTI_ERROR_NONE) {
    return std::nullopt;
  }
  frames.resize(static_cast<size_t>(count));
  return frames;
}

}  // namespace jprof
