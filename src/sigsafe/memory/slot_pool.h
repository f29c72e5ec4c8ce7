// SlotPool: the set of taken slots among N numbered slots. Each slot is one bit, claimed by a
// compare-and-swap on its word: without a free list there is no ABA problem.
//
// Async-signal-safe, thread-safe, lock-free. A claim searches each word at most once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"

namespace jprof {

template <size_t N>
class SlotPool {
  static_assert(N % 64 == 0);

 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Claims a free slot below `limit`, searching from `hint` and wrapping around. Returns kNone if
  // all are taken. REQUIRES: limit is a multiple of 64, 0 < limit <= N.
  size_t Claim(size_t hint = 0, size_t limit = N) {
    JPROF_CHECK(limit % 64 == 0 && 0 < limit && limit <= N);
    const size_t words = limit / 64;
    const size_t first = (hint / 64) % words;
    for (size_t i = 0; i < words; ++i) {
      const size_t word = (first + i) % words;
      uint64_t bits = taken_[word].load(std::memory_order_relaxed);
      while (bits != ~uint64_t{0}) {
        const auto bit = static_cast<size_t>(__builtin_ctzll(~bits));
        // seq_cst includes acquire, which pairs with Release: the previous use of the slot happens
        // before this claim. seq_cst also pairs with AnyTaken: if a thread withdraws a resource and
        // AnyTaken then returns false, all later claims see the withdrawal
        // (sigsafe/stack/walk_environment.h).
        if (taken_[word].compare_exchange_weak(bits, bits | uint64_t{1} << bit,
                                               std::memory_order_seq_cst,
                                               std::memory_order_relaxed)) {
          return word * 64 + bit;
        }
      }
    }
    return kNone;
  }

  // Releases a slot. REQUIRES: `slot` came from Claim and is no longer in use.
  void Release(size_t slot) {
    JPROF_CHECK(slot < N && IsTaken(slot));
    taken_[slot / 64].fetch_and(~(uint64_t{1} << slot % 64), std::memory_order_release);
  }

  // True if some slot is taken. The seq_cst loads pair with Claim.
  bool AnyTaken() const {
    for (const std::atomic<uint64_t>& word : taken_) {
      if (word.load(std::memory_order_seq_cst) != 0) return true;
    }
    return false;
  }

  bool IsTaken(size_t slot) const {
    return (taken_[slot / 64].load(std::memory_order_acquire) >> slot % 64 & 1) != 0;
  }

  // Calls visit(slot) for each slot below `limit` that is taken when the call loads its word.
  // REQUIRES: limit is a multiple of 64.
  template <typename Visitor>
  void ForEachTaken(size_t limit, Visitor&& visit) const {
    for (size_t word = 0; word < limit / 64; ++word) {
      uint64_t bits = taken_[word].load(std::memory_order_acquire);
      for (; bits != 0; bits &= bits - 1) {
        visit(word * 64 + static_cast<size_t>(__builtin_ctzll(bits)));
      }
    }
  }

 private:
  static constexpr size_t kWords = N / 64;

  std::atomic<uint64_t> taken_[kWords] = {};
};

}  // namespace jprof
