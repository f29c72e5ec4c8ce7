#include "sigsafe/memory/lock_free_bitset.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr size_t kBits = 4096;
using Bits = LockFreeBitset<kBits>;

std::set<size_t> Content(const Bits& bits) {
  std::set<size_t> content;
  for (size_t bit = 0; bit < kBits; ++bit) {
    if (bits.Test(bit)) content.insert(bit);
  }
  return content;
}

TEST(LockFreeBitsetTest, HoldsExactlyWhatWasSetAndNotCleared) {
  std::mt19937 random(1);
  Bits bits;
  std::set<size_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    const size_t bit = random() % kBits;
    if (random() % 2 == 0) {
      EXPECT_EQ(bits.Set(bit), expected.insert(bit).second);
    } else {
      EXPECT_EQ(bits.Clear(bit), expected.erase(bit) == 1);
    }
  }
  EXPECT_EQ(Content(bits), expected);
}

TEST(LockFreeBitsetTest, SettingOrClearingTwiceHasTheEffectOfOnce) {
  Bits bits;
  EXPECT_TRUE(bits.Set(7));
  EXPECT_FALSE(bits.Set(7));
  EXPECT_TRUE(bits.Test(7));
  EXPECT_TRUE(bits.Clear(7));
  EXPECT_FALSE(bits.Clear(7));
  EXPECT_FALSE(bits.Test(7));
}

TEST(LockFreeBitsetTest, KeepsNumbersAtTheEdgesOfWordsApart) {
  Bits bits;
  for (const size_t bit : {size_t{0}, size_t{63}, size_t{64}, size_t{127}, kBits - 1}) {
    bits.Set(bit);
    EXPECT_EQ(Content(bits), std::set<size_t>{bit});
    bits.Clear(bit);
  }
}

TEST(LockFreeBitsetTest, NumbersOutOfRangeAreNeverInTheSet) {
  Bits bits;
  for (const size_t bit : {kBits, kBits + 64, SIZE_MAX}) {
    EXPECT_FALSE(bits.Set(bit));
    EXPECT_FALSE(bits.Test(bit));
    EXPECT_FALSE(bits.Clear(bit));
  }
  EXPECT_TRUE(Content(bits).empty());
}

TEST(LockFreeBitsetTest, ClearAllEmptiesIt) {
  Bits bits;
  for (size_t bit = 0; bit < kBits; bit += 3) bits.Set(bit);
  bits.ClearAll();
  EXPECT_TRUE(Content(bits).empty());
}

// Each thread owns every eighth bit, so all threads share all words.
TEST(LockFreeBitsetTest, LosesNoOperationInASharedWord) {
  constexpr size_t kThreads = 8;
  Bits bits;
  std::vector<std::thread> threads;
  for (size_t own = 0; own < kThreads; ++own) {
    threads.emplace_back([&bits, own] {
      for (int round = 0; round < 20; ++round) {
        for (size_t bit = own; bit < kBits; bit += kThreads) bits.Set(bit);
        for (size_t bit = own; bit < kBits; bit += 2 * kThreads) bits.Clear(bit);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t bit = 0; bit < kBits; ++bit) {
    EXPECT_EQ(bits.Test(bit), bit / kThreads % 2 == 1) << bit;
  }
}

TEST(LockFreeBitsetTest, AReaderOfABitSeesTheWritesBeforeItsSet) {
  auto written = std::make_unique<size_t[]>(kBits);
  Bits bits;
  std::thread writer([&] {
    for (size_t bit = 0; bit < kBits; ++bit) {
      written[bit] = bit + 1;
      bits.Set(bit);
    }
  });
  for (size_t bit = 0; bit < kBits; ++bit) {
    while (!bits.Test(bit)) std::this_thread::yield();
    ASSERT_EQ(written[bit], bit + 1);
  }
  writer.join();
}

TEST(LockFreeBitsetTest, AHandlerCanUseIt) {
  Bits bits;
  InSignal([&] {
    bits.Set(100);
    bits.Set(101);
    bits.Clear(101);
  });
  EXPECT_EQ(Content(bits), std::set<size_t>{100});
  bool seen = false;
  InSignal([&] { seen = bits.Test(100); });
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace jprof
