// Tests the benefits of a set with two hashes per key, and shows why the set of Java threads does
// not use it (JavaThreadFilter).
#include "support/two_hash_bitset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace jprof::test {
namespace {

constexpr size_t kBits = 16'384;
using Bits = TwoHashBitset<kBits>;

constexpr uint64_t kEdgeKeys[] = {0,     1,         63,        64,         127,
                                  kBits, kBits - 1, kBits + 1, UINT32_MAX, UINT64_MAX};

TEST(TwoHashBitsetTest, FindsSetKeysAndNoClearedOnes) {
  Bits bits;
  for (const uint64_t key : kEdgeKeys) {
    EXPECT_FALSE(bits.Test(key)) << key;
    bits.Set(key);
    bits.Set(key);
    EXPECT_TRUE(bits.Test(key)) << key;
    bits.Clear(key);
    bits.Clear(key);
    EXPECT_FALSE(bits.Test(key)) << key;
  }
}

TEST(TwoHashBitsetTest, ClearAllEmptiesIt) {
  Bits bits;
  for (uint64_t key = 0; key < 1000; ++key) bits.Set(key);
  bits.ClearAll();
  for (uint64_t key = 0; key < 1000; ++key) EXPECT_FALSE(bits.Test(key));
}

TEST(TwoHashBitsetTest, TheBitsThemselvesCanBeReadAndWritten) {
  Bits bits;
  bits.first().Set(Bits::FirstBit(42));
  EXPECT_FALSE(bits.Test(42)) << "only one of the two bits is set";
  bits.second().Set(Bits::SecondBit(42));
  EXPECT_TRUE(bits.Test(42));
}

TEST(TwoHashBitsetTest, ItHasFewerFalsePositivesThanOneHash) {
  std::mt19937 random(1);
  for (const size_t members : {100, 500, 4000}) {
    Bits bits;
    std::set<uint64_t> keys;
    while (keys.size() < members) keys.insert(random() % (1 << 22));
    for (const uint64_t key : keys) bits.Set(key);
    int with_one = 0;
    int with_two = 0;
    for (int i = 0; i < 200'000; ++i) {
      const uint64_t key = random() % (1 << 22);
      if (keys.count(key) != 0) continue;
      with_one += bits.first().Test(Bits::FirstBit(key)) ? 1 : 0;
      with_two += bits.Test(key) ? 1 : 0;
    }
    EXPECT_LT(with_two * 3, with_one) << members << " keys";
  }
}

TEST(TwoHashBitsetTest, ClearingAKeyLeavesKeysThatShareNoBitWithIt) {
  Bits bits;
  for (uint64_t key = 1; key <= 500; ++key) bits.Set(key);
  for (uint64_t key = 2; key <= 500; key += 2) bits.Clear(key);
  int checked = 0;
  for (uint64_t kept = 1; kept <= 500; kept += 2) {
    bool shares = false;
    for (uint64_t cleared = 2; cleared <= 500; cleared += 2) {
      shares |= Bits::FirstBit(kept) == Bits::FirstBit(cleared) ||
                Bits::SecondBit(kept) == Bits::SecondBit(cleared);
    }
    EXPECT_EQ(bits.Test(kept), !shares) << kept;
    checked += shares ? 0 : 1;
  }
  EXPECT_GT(checked, 200);
}

TEST(TwoHashBitsetTest, NoConcurrentSetIsLost) {
  Bits bits;
  std::vector<std::thread> threads;
  for (uint64_t first = 0; first < 8; ++first) {
    threads.emplace_back([&bits, first] {
      for (uint64_t key = first * 1000; key < first * 1000 + 100; ++key) bits.Set(key);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint64_t first = 0; first < 8; ++first) {
    for (uint64_t key = first * 1000; key < first * 1000 + 100; ++key) EXPECT_TRUE(bits.Test(key));
  }
}

TEST(TwoHashBitsetTest, AReaderOfTheKeySeesEarlierWrites) {
  constexpr uint64_t kKeys = 200;
  auto written = std::make_unique<uint64_t[]>(kKeys);
  Bits bits;
  std::thread writer([&] {
    for (uint64_t key = 0; key < kKeys; ++key) {
      written[key] = key + 1;
      bits.Set(key);
    }
  });
  // Checks only keys that share no bit with a smaller key.
  uint64_t seen = 0;
  for (uint64_t key = 0; key < kKeys; ++key) {
    const auto same_bit = [key](uint64_t other) {
      return Bits::FirstBit(other) == Bits::FirstBit(key) ||
             Bits::SecondBit(other) == Bits::SecondBit(key);
    };
    bool unique = true;
    for (uint64_t other = 0; other < key; ++other) unique &= !same_bit(other);
    if (!unique) continue;
    while (!bits.Test(key)) std::this_thread::yield();
    ASSERT_EQ(written[key], key + 1);
    ++seen;
  }
  writer.join();
  EXPECT_GT(seen, kKeys / 2);
}

TEST(TwoHashBitsetTest, ClearingKeysRemovesOtherKeysThatShareBits) {
  Bits bits;
  for (uint64_t key = 1; key <= 200; ++key) bits.Set(key);
  for (uint64_t key = 201; key <= 200 + 16'384; ++key) {
    bits.Set(key);
    bits.Clear(key);
  }
  int lost = 0;
  for (uint64_t key = 1; key <= 200; ++key) lost += bits.Test(key) ? 0 : 1;
  EXPECT_GT(lost, 100) << "otherwise the head comment of two_hash_bitset.h is outdated";
}

}  // namespace
}  // namespace jprof::test
