// FindSlot: finds the thread slot that a word of the JVM stands for. Each place of a small table
// remembers the slot that was found for a word with its hash: threads that wait for the same lock
// search for the same owner, and there can be thousands of slots.
//
// SearchBudget: bounds the CPU time of searches that are expensive.
//
// Thread-safe, without a lock.
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

// SearchBudget: limits searches to a hundredth of a processor in the long run, and to kBurst at
// once.
class SearchBudget {
 public:
  static constexpr Nanos kBurst = 10'000'000;  // CPU time of searches
  static constexpr Nanos kShare = 100;

  // True if a search may start.
  bool Allows(Nanos now_ns) const {
    return paid_at_ns_.load(std::memory_order_relaxed) < now_ns + kBurst * kShare;
  }

  // Notes a search that has taken `spent_ns` of CPU time.
  void Spend(Nanos now_ns, Nanos spent_ns) {
    Nanos seen = paid_at_ns_.load(std::memory_order_relaxed);
    while (!paid_at_ns_.compare_exchange_weak(seen, std::max(seen, now_ns) + spent_ns * kShare,
                                              std::memory_order_relaxed)) {
    }
  }

 private:
  // The time at which all searches so far will be a hundredth of the time since they began.
  // relaxed: publishes no other value.
  std::atomic<Nanos> paid_at_ns_{0};
};

// The size of tables of words, and the place of a word in them.
inline constexpr size_t kHashedWords = 1024;
inline size_t PlaceOfWord(uint64_t word) { return SplitMix(word) % kHashedWords; }

// The indices of slots that were found. relaxed: hints, because a slot is returned only if it
// matches.
extern std::atomic<uint32_t> g_found_slots[kHashedWords];

// Returns a slot for which matches(slot) is true; its thread might have ended. nullptr: there is
// none.
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
