// TwoHashBitset: a set of 64-bit keys in two arrays of NumBits bits. It is lossy: each of two hash
// functions maps a key to one bit of its array, and a key seems present if both bits are set.
//
// A key that is not in the set seems present less often than with one hash. But no key may be
// removed: this would clear bits that other keys share, which would then seem absent. The tests
// show both. The profiler uses LockFreeBitset, which is exact; this class is kept to show why.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/memory/lock_free_bitset.h"

namespace jprof::test {

template <size_t NumBits>
class TwoHashBitset {
 public:
  void Set(uint64_t key) {
    first_.Set(FirstBit(key));
    second_.Set(SecondBit(key));
  }
  void Clear(uint64_t key) {
    first_.Clear(FirstBit(key));
    second_.Clear(SecondBit(key));
  }
  bool Test(uint64_t key) const {
    return first_.Test(FirstBit(key)) && second_.Test(SecondBit(key));
  }
  void ClearAll() {
    first_.ClearAll();
    second_.ClearAll();
  }

  // Return the bit sets themselves, without a hash.
  LockFreeBitset<NumBits>& first() { return first_; }
  LockFreeBitset<NumBits>& second() { return second_; }

  // Multiplicative hashing (Knuth, TAOCP 3, 6.4): the odd factors are 2^64 / phi and an unrelated
  // number. Takes the upper bits of the product, which depend on all bits of the key.
  static size_t FirstBit(uint64_t key) { return (key * 0x9e3779b97f4a7c15 >> 32) % NumBits; }
  static size_t SecondBit(uint64_t key) { return (key * 0xc2b2ae3d27d4eb4f >> 32) % NumBits; }

 private:
  LockFreeBitset<NumBits> first_;
  LockFreeBitset<NumBits> second_;
};

}  // namespace jprof::test
