#include "engines/lock/thread_ids.h"

#include <mutex>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {

const ThreadIds* ThreadIds::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static const ThreadIds* found = nullptr;  // guarded by mutex
  const std::lock_guard lock(mutex);
  if (found == nullptr) found = Find(jni);
  return found;
}

const ThreadIds* ThreadIds::Find(JNIEnv* jni) {
  const LocalFrame frame(jni, 4);
  const jclass found = jni->FindClass("java/lang/Thread");
  const jfieldID id = found == nullptr ? nullptr : jni->GetFieldID(found, "tid", "J");
  const jmethodID make = id == nullptr ? nullptr : jni->GetMethodID(found, "<init>", "()V");
  const jclass virtual_class =
      make == nullptr ? nullptr : jni->FindClass("java/lang/BaseVirtualThread");
  jni->ExceptionClear();
  if (make == nullptr) return nullptr;
  auto* const ids = new ThreadIds;
  ids->id_ = id;
  ids->make_ = make;
  ids->thread_ = static_cast<jclass>(jni->NewGlobalRef(found));
  if (virtual_class != nullptr) {
    ids->virtual_ = static_cast<jclass>(jni->NewGlobalRef(virtual_class));
  }
  return ids;
}

const ProfiledThread* ThreadIds::RecordOf(int64_t id) {
  ThreadRecords* const records = GetThreadRecords();
  const uint32_t end = records == nullptr ? 0 : records->HighWater();
  for (uint32_t index = 0; index < end; ++index) {
    const ProfiledThread* const thread = records->At(index);
    if (thread->java_id.load(std::memory_order_relaxed) == id) return thread;
  }
  return nullptr;
}

SampledThread ThreadIds::Sampled(int64_t id, bool is_virtual) {
  if (id <= 0) return {};
  if (is_virtual) return SampledThread::Virtual(id);
  const ProfiledThread* const thread = RecordOf(id);
  if (thread == nullptr) return {};
  return SampledThread::Platform(thread->serial.load(std::memory_order_relaxed),
                                 thread->tid.load(std::memory_order_relaxed));
}

int64_t ThreadIds::Next(JNIEnv* jni) const {
  const LocalFrame frame(jni, 1);
  const jobject made = jni->NewObject(thread_, make_);
  if (made == nullptr) jni->ExceptionClear();
  return Of(jni, made);
}

}  // namespace jprof
