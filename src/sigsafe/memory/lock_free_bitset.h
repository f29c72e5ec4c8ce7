// LockFreeBitset: an exact set of numbers below NumBits, one bit each. Set, Clear and Test make one
// memory access each.
//
// Async-signal-safe, thread-safe, lock-free; only ClearAll loops. Zeroed memory is an empty set, so
// a large set can be laid over reserved pages (os/pages.h), of which only pages touched by Set cost
// RAM. Words are not padded: a set that is mostly read belongs in as few cache lines as possible.
// Invariants:
//  1. Concurrent Set and Clear of different bits are never lost, even within one word.
//  2. A thread for which Test returns true sees all writes made before the Set of the bit. A thread
//     for which Test returns false after a Clear of the bit sees all writes made before the Clear.
//  3. A number that is not below NumBits is never in the set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jprof {

template <size_t NumBits>
class LockFreeBitset {
  static_assert(NumBits > 0 && NumBits % 64 == 0);

 public:
  static constexpr size_t kBits = NumBits;

  // Sets the bit. Returns true if it was not set before.
  bool Set(size_t bit) {
    if (bit >= NumBits) return false;
    // release: pairs with the acquire of Test (invariant 2).
    const uint64_t before = words_[bit / 64].fetch_or(Mask(bit), std::memory_order_release);
    return (before & Mask(bit)) == 0;
  }

  // Clears the bit. Returns true if it was set before.
  bool Clear(size_t bit) {
    if (bit >= NumBits) return false;
    // release: pairs with the acquire of Test (invariant 2).
    const uint64_t before = words_[bit / 64].fetch_and(~Mask(bit), std::memory_order_release);
    return (before & Mask(bit)) != 0;
  }

  bool Test(size_t bit) const {
    if (bit >= NumBits) return false;
    // acquire: pairs with the release of Set and Clear.
    return (words_[bit / 64].load(std::memory_order_acquire) & Mask(bit)) != 0;
  }

  // Empties the set word by word; a bit that is set concurrently might stay set. Words that are
  // zero are not written, so that pages never touched by Set stay untouched.
  void ClearAll() {
    for (std::atomic<uint64_t>& word : words_) {
      // The load is relaxed, because it only decides whether to store. The store is release, as in
      // Clear.
      if (word.load(std::memory_order_relaxed) != 0) word.store(0, std::memory_order_release);
    }
  }

 private:
  static constexpr uint64_t Mask(size_t bit) { return uint64_t{1} << bit % 64; }

  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  std::atomic<uint64_t> words_[NumBits / 64] = {};
};

}  // namespace jprof
