#include "sigsafe/hotspot/stack_chunk.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jprof {
namespace {

// A continuation with two chunks, the second of which is empty, referred to by 64-bit references.
class StackChunkTest : public testing::Test {
 protected:
  StackChunkTest() {
    vm_.chunk = {.continuation_tail = 24,
                 .parent = 8,
                 .size = 16,
                 .sp = 20,
                 .bottom = 24,
                 .stack = 32,
                 .references = {},
                 .thread_current = 8,
                 .thread_continuation = 16,
                 .followable = {}};
    Fill(full_, nullptr, 10, 3, 9);
    Fill(empty_, full_, 10, 10, 10);
    Put(continuation_, 24, empty_);
    Put(entry_, 16, continuation_);
  }

  static void Put(uint64_t* object, uint32_t offset, const void* reference) {
    memcpy(reinterpret_cast<char*>(object) + offset, &reference, sizeof reference);
  }
  static void Fill(uint64_t* chunk, const void* parent, int32_t size, int32_t sp, int32_t bottom) {
    Put(chunk, 8, parent);
    const int32_t numbers[] = {size, sp, bottom};
    memcpy(chunk + 2, numbers, sizeof numbers);
  }

  bool Find() { return FindChunkStack(vm_, 0, reinterpret_cast<uint64_t>(entry_), &stack_); }

  HotspotLayout vm_{};
  uint64_t full_[32] = {};
  uint64_t empty_[32] = {};
  uint64_t continuation_[8] = {};
  uint64_t entry_[8] = {};
  ChunkStack stack_{};
};

TEST_F(StackChunkTest, TheFirstChunkThatIsNotEmptyHasTheFrames) {
  ASSERT_TRUE(Find());
  const auto start = reinterpret_cast<uint64_t>(full_) + 32;
  EXPECT_EQ(stack_.sp, start + 3 * 8);
  EXPECT_EQ(stack_.end, start + 9 * 8);
}

TEST_F(StackChunkTest, ItIsFoundWhereOlderReleasesKeepTheContinuation) {
  Put(entry_, 16, nullptr);
  Put(entry_, 8, continuation_);
  EXPECT_TRUE(Find());
}

TEST_F(StackChunkTest, ChunksThatMakeNoSenseAreRefused) {
  Fill(full_, nullptr, 10, 9, 3);
  EXPECT_FALSE(Find());
  Fill(full_, nullptr, 10, -1, 9);
  EXPECT_FALSE(Find());
  Fill(full_, full_, 10, 10, 10);  // its own parent
  EXPECT_FALSE(Find());
}

TEST_F(StackChunkTest, AJvmThatDoesNotSayHasNone) {
  vm_.chunk.stack = 0;
  EXPECT_FALSE(Find());
}

}  // namespace
}  // namespace jprof
