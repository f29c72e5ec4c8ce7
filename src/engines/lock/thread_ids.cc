#include "engines/lock/thread_ids.h"

#include <mutex>

#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// The ids of threads that are known to be virtual; the index is PlaceOfWord(id). relaxed: an entry
// publishes no other value.
std::atomic<int64_t> g_virtual_ids[kHashedWords];

}  // namespace

std::atomic<uint32_t> g_found_slots[kHashedWords];

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
  if (ClearException(jni) == ClearedException::kOutOfMemory || make == nullptr) return nullptr;
  const auto kept = static_cast<jclass>(jni->NewGlobalRef(found));
  const auto kept_virtual =
      virtual_class == nullptr ? nullptr : static_cast<jclass>(jni->NewGlobalRef(virtual_class));
  if (kept == nullptr || (kept_virtual == nullptr && virtual_class != nullptr)) {
    jni->DeleteGlobalRef(kept);
    return nullptr;
  }
  auto* const ids = new ThreadIds;
  ids->id_ = id;
  ids->make_ = make;
  ids->thread_ = kept;
  ids->virtual_ = kept_virtual;
  return ids;
}

const ThreadSlot* ThreadIds::SlotOf(int64_t id) {
  return FindSlot(static_cast<uint64_t>(id), [id](const ThreadSlot& thread) {
    return thread.java_id.load(std::memory_order_relaxed) == id;
  });
}

// Remembers the ids of virtual threads, because the search for a slot takes long. The JVM never
// uses an id again for another thread.
SampledThread ThreadIds::SampledLiving(int64_t id) const {
  if (id <= 0) return {};
  std::atomic<int64_t>& known = g_virtual_ids[PlaceOfWord(static_cast<uint64_t>(id))];
  if (known.load(std::memory_order_relaxed) == id) return SampledThread::Virtual(id);
  const ThreadSlot* const thread = SlotOf(id);
  if (thread != nullptr) return SampledOf(*thread);
  if (!has_virtual()) return {};
  known.store(id, std::memory_order_relaxed);
  return SampledThread::Virtual(id);
}

SampledThread ThreadIds::Sampled(int64_t id, bool is_virtual) {
  if (id <= 0) return {};
  if (is_virtual) return SampledThread::Virtual(id);
  const ThreadSlot* const thread = SlotOf(id);
  return thread == nullptr ? SampledThread() : SampledOf(*thread);
}

int64_t ThreadIds::Next(JNIEnv* jni) const {
  const LocalFrame frame(jni, 1);
  const jobject made = jni->NewObject(thread_, make_);
  if (made == nullptr) jni->ExceptionClear();
  return Of(jni, made);
}

}  // namespace jprof
