// TwoHashBitset: a lossy set of keys of any size in NumBits, each key one bit by each of two
// hashes; a key seems present if both are set.
//
// It has fewer false positives than one hash, and it must not be used for a set that keys leave: a
// key that is removed takes the bits along that it shares with keys that stay, and these then seem
// absent. Its tests show both. The profiler uses LockFreeBitset, which is exact; this is here so
// that the choice can be checked.
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

  // The bits themselves, without a hash.
  LockFreeBitset<NumBits>& first() { return first_; }
  LockFreeBitset<NumBits>& second() { return second_; }

  // Multiplicative hashing (Knuth, TAOCP 3, 6.4), the odd factors 2^64 / phi and one that is not
  // related to it; upper bits of the product, which depend on all bits of the key.
  static size_t FirstBit(uint64_t key) { return (key * 0x9e3779b97f4a7c15 >> 32) % NumBits; }
  static size_t SecondBit(uint64_t key) { return (key * 0xc2b2ae3d27d4eb4f >> 32) % NumBits; }

 private:
  LockFreeBitset<NumBits> first_;
  LockFreeBitset<NumBits> second_;
};

}  // namespace jprof::test
