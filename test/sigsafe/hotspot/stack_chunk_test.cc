#include "sigsafe/hotspot/stack_chunk.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jprof {
namespace {

// Lays out a continuation with two chunks, linked by 64-bit references. The first chunk is empty.
class StackChunkTest : public testing::Test {
 protected:
  StackChunkTest() {
    vm_.chunk = {.continuation_tail = 24,
                 .parent = 8,
                 .size = 16,
                 .sp = 20,
                 .bottom = 24,
                 .max_thawing_size = 28,
                 .stack = 32,
                 .thread_continuation = 16};
    vm_.mounted = {.references = {}, .followable = {}, .thread_current = 8};
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

TEST_F(StackChunkTest, TheFirstNonEmptyChunkHasTheFrames) {
  ASSERT_TRUE(Find());
  const auto start = reinterpret_cast<uint64_t>(full_) + 32;
  EXPECT_EQ(stack_.sp, start + 3 * 8);
  EXPECT_EQ(stack_.end, start + 9 * 8);
}

TEST_F(StackChunkTest, TheNextChunkHasTheCallers) {
  uint64_t callers[32] = {};
  Fill(callers, nullptr, 10, 2, 10);
  Fill(empty_, callers, 10, 10, 10);
  Fill(full_, empty_, 10, 3, 9);
  Put(continuation_, 24, full_);
  ASSERT_TRUE(Find());
  ASSERT_TRUE(FindNextChunkStack(vm_, &stack_));
  EXPECT_EQ(stack_.chunk, reinterpret_cast<uint64_t>(callers));
  EXPECT_EQ(stack_.sp, reinterpret_cast<uint64_t>(callers) + 32 + 2 * 8);
  ASSERT_TRUE(FindNextChunkStack(vm_, &stack_));
  EXPECT_EQ(stack_.chunk, 0u);
}

// If references have colours, the continuation is found by the mounted thread. Here references have
// two bits of colours below their address.
TEST_F(StackChunkTest, FollowsReferencesWithGoodColours) {
  static uint64_t bad = 2;
  static const uint64_t bits = 2;
  const auto coloured = [](const uint64_t* object) {
    return reinterpret_cast<const void*>(reinterpret_cast<uint64_t>(object) << bits | 1);
  };
  vm_.mounted.references.bad_colours = &bad;
  vm_.mounted.references.colour_bits = &bits;
  vm_.mounted.followable = {{0, 4, true}, 8, 6};
  uint64_t virtual_thread[4] = {};
  uint64_t root = 0;
  uint64_t java_thread[2] = {8, reinterpret_cast<uint64_t>(&root)};
  Put(&root, 0, coloured(virtual_thread));
  Put(virtual_thread, 16, coloured(continuation_));
  Put(continuation_, 24, coloured(full_));
  const auto find = [&] {
    return FindChunkStack(vm_, reinterpret_cast<uint64_t>(java_thread), 0, &stack_);
  };
  EXPECT_TRUE(find());
  EXPECT_EQ(stack_.chunk, reinterpret_cast<uint64_t>(full_));
  bad = 1;
  EXPECT_FALSE(find());
  bad = 2;
  java_thread[0] = 4;  // in native code, during which objects can move
  EXPECT_FALSE(find());
}

TEST_F(StackChunkTest, FindsTheContinuationOfOlderReleases) {
  Put(entry_, 16, nullptr);
  Put(entry_, 8, continuation_);
  EXPECT_TRUE(Find());
}

TEST_F(StackChunkTest, RefusesInconsistentChunks) {
  Fill(full_, nullptr, 10, 9, 3);
  EXPECT_FALSE(Find());
  Fill(full_, nullptr, 10, -1, 9);
  EXPECT_FALSE(Find());
  Fill(full_, full_, 10, 10, 10);  // its own parent
  EXPECT_FALSE(Find());
}

TEST_F(StackChunkTest, TheChunkFromWhichFramesAreCopiedIsTheLastOneEvenIfItIsEmpty) {
  constexpr uint64_t kRoomWithoutFrames = 8;
  const int32_t left = 0;
  memcpy(reinterpret_cast<char*>(empty_) + 28, &left, sizeof left);
  ThawedChunk thawed{};
  const auto find = [&](uint64_t room) {
    return FindThawedChunk(vm_, 0, reinterpret_cast<uint64_t>(entry_), room, &thawed);
  };
  ASSERT_TRUE(find(kRoomWithoutFrames + 6));
  EXPECT_EQ(thawed.stack.chunk, reinterpret_cast<uint64_t>(empty_));
  EXPECT_EQ(thawed.stack.sp, thawed.stack.end);
  EXPECT_EQ(thawed.removed, 6);
  EXPECT_FALSE(find(kRoomWithoutFrames - 1)) << "less than nothing was removed";
  EXPECT_FALSE(find(kRoomWithoutFrames + 12)) << "more than the chunk has";
  vm_.chunk.max_thawing_size = 0;
  EXPECT_FALSE(find(kRoomWithoutFrames + 6)) << "the JVM does not export the field";
}

TEST_F(StackChunkTest, AJvmWithoutItsOffsetsHasNoChunks) {
  vm_.chunk.stack = 0;
  EXPECT_FALSE(Find());
}

}  // namespace
}  // namespace jprof
