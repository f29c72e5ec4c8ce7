#include "sigsafe/traces/call_trace_hash_table.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sigsafe/traces/call_trace_storage.h"
#include "sigsafe/traces/test_stack.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::SmallTable;
using test::StackOf;
using test::TestStack;

TraceId PutInSignal(SmallTable& table, const TestStack& stack) {
  TraceId id{};
  InSignal([&] { id = table.Put(stack); });
  return id;
}

TEST(CallTraceHashTableTest, TheSameFramesHaveOneIdAndAreFoundUnderIt) {
  SmallTable table(1024, 1 << 20);
  std::set<TraceId> ids;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const TestStack stack = StackOf(seed, 1 + seed % 40);
    const TraceId id = PutInSignal(table, stack);
    EXPECT_TRUE(ids.insert(id).second) << seed;
    EXPECT_EQ(PutInSignal(table, StackOf(seed, 1 + seed % 40)), id);
    EXPECT_TRUE(Same(table->Find(id), stack)) << seed;
  }
}

TEST(CallTraceHashTableTest, WhatDiffersInOneFieldHasAnotherId) {
  const TestStack base = StackOf(1);
  TestStack bci = base;
  bci.frames[3].bci += 1;
  TestStack kind = base;
  kind.frames[3].kind = FrameKind::kJavaNative;
  TestStack id = base;
  id.frames[4].id ^= uint64_t{1} << 63;
  TestStack truncated = base;
  truncated.truncated = true;
  TestStack shorter = base;
  shorter.frames.pop_back();
  TestStack swapped = base;
  std::swap(swapped.frames[0], swapped.frames[1]);
  TestStack empty;

  SmallTable table(64, 1 << 16);
  std::set<TraceId> ids;
  for (const TestStack& stack : {base, bci, kind, id, truncated, shorter, swapped, empty}) {
    const TraceId given = PutInSignal(table, stack);
    EXPECT_TRUE(ids.insert(given).second);
    EXPECT_TRUE(Same(table->Find(given), stack));
  }
}

TEST(CallTraceHashTableTest, AnIdCarriesTheEpochAndIsNeverAReservedOne) {
  SmallTable table(64, 1 << 16, 0xFFFFFFFF);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const TraceId id = table.Put(StackOf(seed));
    EXPECT_EQ(Value(id) >> 32, 0xFFFFFFFFu);
    EXPECT_NE(id, kNoTrace);
    EXPECT_NE(id, kDroppedTrace);
  }
}

TEST(CallTraceHashTableTest, IdsOfOtherTablesAreNotFound) {
  SmallTable table(64, 1 << 16, 7);
  SmallTable next(64, 1 << 16, 8);
  const TraceId foreign = next.Put(StackOf(1));
  const TraceId own = table.Put(StackOf(1));
  EXPECT_EQ(table->Find(foreign), nullptr);
  EXPECT_EQ(table->Find(kNoTrace), nullptr);
  EXPECT_EQ(table->Find(kDroppedTrace), nullptr);
  EXPECT_EQ(table->Find(TraceId{uint64_t{7} << 32 | 64}), nullptr) << "beyond the last slot";
  EXPECT_EQ(table->Find(TraceId{uint64_t{7} << 32 | 0xFFFFFFFF}), nullptr);
  EXPECT_EQ(table->Find(TraceId{Value(own) ^ 1}), nullptr) << "an empty slot";
}

// Four slots: every stack meets the others on its way.
TEST(CallTraceHashTableTest, AFullTableDropsNewStacksAndKeepsTheOldOnes) {
  SmallTable table(4, 1 << 16);
  std::vector<TraceId> ids;
  for (uint64_t seed = 0; seed < 4; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  EXPECT_EQ(std::set<TraceId>(ids.begin(), ids.end()).size(), 4u);
  for (uint64_t seed = 4; seed < 20; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), kDroppedTrace);
  }
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), ids[seed]);
    EXPECT_TRUE(Same(table->Find(ids[seed]), StackOf(seed)));
  }
}

TEST(CallTraceHashTableTest, ALargeTableIsWellFilledBeforeItDropsAnything) {
  SmallTable table(4096, 4 << 20);
  uint64_t stored = 0;
  while (table.Put(StackOf(stored)) != kDroppedTrace) ++stored;
  EXPECT_GT(stored, 4096u * 9 / 10);
  EXPECT_LE(stored, 4096u);
  for (uint64_t seed = 0; seed < stored; ++seed) {
    ASSERT_TRUE(Same(table->Find(table.Put(StackOf(seed))), StackOf(seed))) << seed;
  }
}

TEST(CallTraceHashTableTest, AnExhaustedArenaDropsNewStacksAndKeepsTheOldOnes) {
  // Room for three: a header of 16 bytes and five frames of 16 each.
  SmallTable table(64, size_t{3} * 96);
  std::vector<TraceId> ids;
  for (uint64_t seed = 0; seed < 3; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  EXPECT_EQ(PutInSignal(table, StackOf(3)), kDroppedTrace);
  EXPECT_EQ(PutInSignal(table, StackOf(3)), kDroppedTrace);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), ids[seed]) << "known stacks need no room";
    EXPECT_TRUE(Same(table->Find(ids[seed]), StackOf(seed)));
  }
}

// The table's hash, and its inverse for one frame, to make two stacks with one 64-bit hash.
class Collision {
 public:
  static uint64_t Mix(uint64_t value) {
    value ^= value >> 33;
    value *= kFirst;
    value ^= value >> 33;
    value *= kSecond;
    return value ^ value >> 33;
  }

  static uint64_t Unmix(uint64_t value) {
    value ^= value >> 33;  // its own inverse: shifts by more than half the width cancel
    value *= Inverse(kSecond);
    value ^= value >> 33;
    value *= Inverse(kFirst);
    return value ^ value >> 33;
  }

  // A frame at `bci` that hashes, alone on a stack, as `frame` does.
  static Frame FrameLike(const Frame& frame, int32_t bci) {
    const uint64_t start = Mix(1);
    const uint64_t target = Mix(start ^ frame.id) + Mix(Place(frame.bci));
    return {Unmix(target - Mix(Place(bci))) ^ start, bci, FrameKind::kJava};
  }

 private:
  static constexpr uint64_t kFirst = 0xff51afd7ed558ccdULL;
  static constexpr uint64_t kSecond = 0xc4ceb9fe1a85ec53ULL;

  static uint64_t Place(int32_t bci) { return uint64_t{static_cast<uint32_t>(bci)} << 32; }

  // Newton's iteration modulo 2^64 for an odd number.
  static uint64_t Inverse(uint64_t odd) {
    uint64_t inverse = odd;
    for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
    return inverse;
  }
};

TEST(CallTraceHashTableTest, StacksWhoseHashesCollideInFullAreNeverMerged) {
  SmallTable table(1024, 1 << 16);
  const TestStack first{{{0xABCDEF, 3, FrameKind::kJava}}};
  std::set<TraceId> ids = {table.Put(first)};
  const uint64_t hash = table->Find(*ids.begin())->hash;
  for (int32_t bci = 4; bci < 40; ++bci) {
    const TestStack twin{{Collision::FrameLike(first.frames[0], bci)}};
    const TraceId id = PutInSignal(table, twin);
    ASSERT_EQ(table->Find(id)->hash, hash) << "the test does not know the hash function any more";
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_TRUE(Same(table->Find(id), twin));
  }
}

TEST(CallTraceStorageTest, PutAndFindAreThoseOfItsTable) {
  const test::GuardedPage slots(64 * sizeof(void*));
  const test::GuardedPage arena(1 << 16);
  CallTraceStorage storage(3, slots.region(), arena.region());
  const TestStack stack = StackOf(1);
  TraceId id{};
  InSignal([&] { id = storage.Put(stack.AsStack()); });
  EXPECT_EQ(Value(id) >> 32, 3u);
  EXPECT_TRUE(Same(storage.Find(id), stack));
}

}  // namespace
}  // namespace jprof
