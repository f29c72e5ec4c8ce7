// FindSlot: the thread slot that a word of the JVM stands for. Each place of a small table
// remembers the slot that was found for a word with its hash: who waits for a lock asks for the
// same owner as others do, and there may be thousands of slots.
//
// Any thread, without a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/split_mix.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

// SearchBudget: how much of a processor searches may take: a hundredth in the long run, and
// kBurst at once.
//
// Thread-safe, without a lock.
class SearchBudget {
 public:
  static constexpr Nanos kBurst = 10'000'000;  // ns of searching
  static constexpr Nanos kShare = 100;

  // Whether a search may begin.
  bool Allows(Nanos now_ns) const {
    return paid_at_ns_.load(std::memory_order_relaxed) < now_ns + kBurst * kShare;
  }

  // After a search that took so much time of a processor.
  void Spend(Nanos now_ns, Nanos spent_ns) {
    Nanos seen = paid_at_ns_.load(std::memory_order_relaxed);
    while (!paid_at_ns_.compare_exchange_weak(seen, std::max(seen, now_ns) + spent_ns * kShare,
                                              std::memory_order_relaxed)) {
    }
  }

 private:
  // When all that was spent is a hundredth of the time since. Relaxed: nothing depends on it.
  std::atomic<Nanos> paid_at_ns_{0};
};

// The place of a word in tables of kHashedWords.
inline constexpr size_t kHashedWords = 1024;
inline size_t PlaceOfWord(uint64_t word) { return SplitMix(word) % kHashedWords; }

// Indices of slots; whatever they are, a slot is returned if it matches. Relaxed: hints.
extern std::atomic<uint32_t> g_found_slots[kHashedWords];

// A slot, of a thread that has ended too, for which matches(slot) is true; nullptr: none.
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

}  // namespace jprof
