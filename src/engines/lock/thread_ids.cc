#include "engines/lock/thread_ids.h"

#include <mutex>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {

Result<const ThreadIds*> ThreadIds::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static const ThreadIds* found = nullptr;  // guarded by mutex
  const std::lock_guard lock(mutex);
  if (found != nullptr) return found;
  const Result<const ThreadIds*> found_now = Find(jni);
  if (found_now) found = found_now.value();
  return found_now;
}

Result<const ThreadIds*> ThreadIds::Find(JNIEnv* jni) {
  const LocalFrame frame(jni, 4);
  auto* ids = new ThreadIds;
  const jclass found = jni->FindClass("java/lang/Thread");
  if (found != nullptr) ids->id_ = jni->GetFieldID(found, "tid", "J");
  if (ids->id_ != nullptr) ids->make_ = jni->GetMethodID(found, "<init>", "()V");
  if (ids->make_ == nullptr) {
    jni->ExceptionClear();
    delete ids;
    return Error("java.lang.Thread of this JVM has no field tid, so waits cannot be told apart");
  }
  ids->thread_ = static_cast<jclass>(jni->NewGlobalRef(found));
  const jclass virtual_class = jni->FindClass("java/lang/BaseVirtualThread");
  if (virtual_class == nullptr) {
    jni->ExceptionClear();
  } else {
    ids->virtual_ = static_cast<jclass>(jni->NewGlobalRef(virtual_class));
  }
  return ids;
}

SampledThread ThreadIds::Sampled(int64_t id, bool is_virtual) {
  if (id <= 0) return {};
  if (is_virtual) return SampledThread::Virtual(id);
  ThreadRecords* const records = GetThreadRecords();
  const uint32_t end = records == nullptr ? 0 : records->HighWater();
  for (uint32_t index = 0; index < end; ++index) {
    const ProfiledThread& thread = *records->At(index);
    if (thread.java_id.load(std::memory_order_relaxed) != id) continue;
    return SampledThread::Platform(thread.serial.load(std::memory_order_relaxed),
                                   thread.tid.load(std::memory_order_relaxed));
  }
  return {};
}

int64_t ThreadIds::Next(JNIEnv* jni) const {
  const LocalFrame frame(jni, 1);
  const jobject made = jni->NewObject(thread_, make_);
  if (made == nullptr) jni->ExceptionClear();
  return Of(jni, made);
}

}  // namespace jprof
