// ThreadIds identifies the thread of a java.lang.Thread, in callbacks of the JVM and at the stop.
// FindSlot finds the slot of a thread by a word of the JVM: the thread's id, or an address that
// belongs to the thread.
//
// Thread-safe. Used on attached threads; not for signal handlers.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/split_mix.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slot.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

// The size of the hash tables below and in thread_ids.cc, and the index of a word in them.
inline constexpr size_t kHashedWords = 1024;
inline size_t PlaceOfWord(uint64_t word) { return SplitMix(word) % kHashedWords; }

// For each hash of a word, the index of the slot that was found last for such a word. Searches try
// that slot first, because threads that wait for the same lock search for the same owner, and there
// can be thousands of slots. relaxed: an index is only a hint, because the slot is checked again
// before it is returned.
extern std::atomic<uint32_t> g_found_slots[kHashedWords];

// Returns a slot for which matches(slot) is true, or nullptr if there is none. The slot's thread
// might have ended. `word` is the word that `matches` looks for.
template <typename Matches>
const ThreadSlot* FindSlot(uint64_t word, Matches&& matches) {
  ThreadSlots* const slots = GetThreadSlots();
  const uint32_t end = slots == nullptr ? 0 : slots->HighWater();
  std::atomic<uint32_t>& hint = g_found_slots[PlaceOfWord(word)];
  const uint32_t hinted = hint.load(std::memory_order_relaxed);
  if (hinted < end && matches(*slots->At(hinted))) return slots->At(hinted);
  for (uint32_t index = 0; index < end; ++index) {
    const ThreadSlot* const thread = slots->At(index);
    if (!matches(*thread)) continue;
    hint.store(index, std::memory_order_relaxed);
    return thread;
  }
  return nullptr;
}

inline SampledThread SampledOf(const ThreadSlot& thread) {
  return SampledThread::Platform(thread.serial.load(std::memory_order_relaxed),
                                 thread.tid.load(std::memory_order_relaxed));
}

// There is one ThreadIds per process; it is immutable and never freed.
class ThreadIds {
 public:
  // Returns the object of the process; nullptr if java.lang.Thread of this JVM has no field for the
  // id, or the JVM has no memory.
  static const ThreadIds* OfProcess(JNIEnv* jni);

  // Returns Thread.threadId(), or 0 if `thread` is nullptr. Runs no Java code.
  int64_t Of(JNIEnv* jni, jthread thread) const {
    return thread == nullptr ? 0 : jni->GetLongField(thread, id_);
  }
  bool IsVirtual(JNIEnv* jni, jthread thread) const {
    return virtual_ != nullptr && jni->IsInstanceOf(thread, virtual_) != JNI_FALSE;
  }

  bool has_virtual() const { return virtual_ != nullptr; }

  // Returns the slot of the platform thread with the id `id`. The thread might have ended. Returns
  // nullptr if the thread never had a slot, or if another thread has the slot by now.
  static const ThreadSlot* SlotOf(int64_t id);

  // Returns the thread with the id; SampledThread() for a platform thread without a slot (SlotOf).
  static SampledThread Sampled(int64_t id, bool is_virtual);

  // Returns the thread with the id. A thread without a slot is taken for a virtual thread.
  // REQUIRES: the thread is alive.
  SampledThread SampledLiving(int64_t id) const;

  // Returns the id of a platform thread, or the negated id of a virtual thread.
  int64_t SignedOf(JNIEnv* jni, jthread thread) const {
    return IsVirtual(jni, thread) ? -Of(jni, thread) : Of(jni, thread);
  }
  // Returns the thread whose signed id, as SignedOf returns it, is `id`.
  static SampledThread Signed(int64_t id) { return Sampled(id < 0 ? -id : id, id < 0); }

  // Returns an id that is greater than the ids of all existing threads, by creating a
  // java.lang.Thread that is never started. Returns 0 if the JVM has no memory.
  int64_t Next(JNIEnv* jni) const;

 private:
  static const ThreadIds* Find(JNIEnv* jni);

  jclass thread_ = nullptr;   // a global reference
  jclass virtual_ = nullptr;  // a global reference; nullptr if this JVM has no virtual threads
  jfieldID id_ = nullptr;     // Thread.tid
  jmethodID make_ = nullptr;  // constructor Thread()
};

}  // namespace jprof
