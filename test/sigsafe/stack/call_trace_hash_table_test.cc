#include "sigsafe/stack/call_trace_hash_table.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sigsafe/stack/call_trace_storage.h"
#include "sigsafe/stack/test_stack.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::PutInActive;
using test::SmallTable;
using test::StackOf;
using test::TestStack;

CallTraceId PutInSignal(SmallTable& table, const TestStack& stack) {
  CallTraceId id{};
  InSignal([&] { id = table.Put(stack); });
  return id;
}

TEST(CallTraceHashTableTest, TheSameFramesHaveOneIdAndAreFoundUnderIt) {
  SmallTable table(1024, 1 << 20);
  std::set<CallTraceId> ids;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const TestStack stack = StackOf(seed, 1 + seed % 40);
    const CallTraceId id = PutInSignal(table, stack);
    EXPECT_TRUE(ids.insert(id).second) << seed;
    EXPECT_EQ(PutInSignal(table, StackOf(seed, 1 + seed % 40)), id);
    EXPECT_TRUE(Same(table->Find(id), stack)) << seed;
  }
}

TEST(CallTraceHashTableTest, StacksThatDifferInOneFieldHaveDifferentIds) {
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
  std::set<CallTraceId> ids;
  for (const TestStack& stack : {base, bci, kind, id, truncated, shorter, swapped, empty}) {
    const CallTraceId given = PutInSignal(table, stack);
    EXPECT_TRUE(ids.insert(given).second);
    EXPECT_TRUE(Same(table->Find(given), stack));
  }
}

TEST(CallTraceHashTableTest, AnIdCarriesTheEpochAndIsNeverAReservedOne) {
  SmallTable table(64, 1 << 16, 0xFFFFFFFF);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const CallTraceId id = table.Put(StackOf(seed));
    EXPECT_EQ(Value(id) >> 32, 0xFFFFFFFFu);
    EXPECT_NE(id, kNoCallTrace);
    EXPECT_NE(id, kDroppedCallTrace);
  }
}

TEST(CallTraceHashTableTest, IdsOfOtherTablesAreNotFound) {
  SmallTable table(64, 1 << 16, 7);
  SmallTable next(64, 1 << 16, 8);
  const CallTraceId foreign = next.Put(StackOf(1));
  const CallTraceId own = table.Put(StackOf(1));
  EXPECT_EQ(table->Find(foreign), nullptr);
  EXPECT_EQ(table->Find(kNoCallTrace), nullptr);
  EXPECT_EQ(table->Find(kDroppedCallTrace), nullptr);
  EXPECT_NE(table->Find(own), nullptr);
  EXPECT_EQ(table->Find(CallTraceId{uint64_t{7} << 32 | 64}), nullptr) << "beyond the last record";
  EXPECT_EQ(table->Find(CallTraceId{uint64_t{7} << 32 | 0xFFFFFFFF}), nullptr);
}

// In an index of four slots every stack collides with the others.
TEST(CallTraceHashTableTest, AFullTableDropsNewStacksAndKeepsTheOldOnes) {
  SmallTable table(4, 1 << 16);
  std::vector<CallTraceId> ids;
  for (uint64_t seed = 0; seed < 4; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  EXPECT_EQ(std::set<CallTraceId>(ids.begin(), ids.end()).size(), 4u);
  for (uint64_t seed = 4; seed < 20; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), kDroppedCallTrace);
  }
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), ids[seed]);
    EXPECT_TRUE(Same(table->Find(ids[seed]), StackOf(seed)));
  }
}

TEST(CallTraceHashTableTest, ALargeTableIsNearlyFullBeforeItDropsAStack) {
  SmallTable table(4096, 4 << 20);
  uint64_t stored = 0;
  while (table.Put(StackOf(stored)) != kDroppedCallTrace) ++stored;
  EXPECT_GT(stored, 4096u * 9 / 10);
  EXPECT_LE(stored, 4096u);
  for (uint64_t seed = 0; seed < stored; ++seed) {
    ASSERT_TRUE(Same(table->Find(table.Put(StackOf(seed))), StackOf(seed))) << seed;
  }
}

TEST(CallTraceHashTableTest, AnExhaustedArenaDropsNewStacksAndKeepsTheOldOnes) {
  // Room for three stacks, each with a header of 16 bytes and five frames of 16 bytes.
  SmallTable table(64, size_t{3} * 96);
  std::vector<CallTraceId> ids;
  for (uint64_t seed = 0; seed < 3; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  EXPECT_EQ(PutInSignal(table, StackOf(3)), kDroppedCallTrace);
  EXPECT_EQ(PutInSignal(table, StackOf(3)), kDroppedCallTrace);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_EQ(PutInSignal(table, StackOf(seed)), ids[seed]) << "known stacks need no room";
    EXPECT_TRUE(Same(table->Find(ids[seed]), StackOf(seed)));
  }
}

// The hash of a stack of one frame starts with a product, one factor of which is the frame's id XOR
// this constant. With this id the product is zero, so that the rest of the frame does not change
// it.
constexpr uint64_t kBlindId = 0x9E3779B97F4A7C15ULL;

TEST(CallTraceHashTableTest, StacksWhoseHashesCollideInFullAreNeverMerged) {
  SmallTable table(1024, 1 << 16);
  const TestStack first{{{kBlindId, 3, FrameKind::kJava}}};
  std::set<CallTraceId> ids = {table.Put(first)};
  const uint64_t hash = table->Find(*ids.begin())->hash;
  for (int32_t bci = 4; bci < 40; ++bci) {
    const TestStack twin{{{kBlindId, bci, FrameKind::kJava}}};
    const CallTraceId id = PutInSignal(table, twin);
    ASSERT_EQ(table->Find(id)->hash, hash)
        << "the hash function has changed: choose another kBlindId";
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_TRUE(Same(table->Find(id), twin));
  }
}

TEST(CallTraceHashTableTest, HashesOfStacksThatDifferLittleSpreadOverTheSlots) {
  constexpr uint32_t kStacks = 4096;
  std::set<uint64_t> slots;
  SmallTable table(2 * kStacks, 8 << 20);
  for (uint32_t i = 0; i < kStacks; ++i) {
    TestStack stack = StackOf(1, 30);
    stack.frames[i % 30].bci = static_cast<int32_t>(i);
    const uint64_t hash = table->Find(table.Put(stack))->hash;
    slots.insert((hash ^ hash >> 32) % kStacks);
  }
  // With n balls in n urns, 1 - 1/e or 63.2 % of the urns get a ball; 60 % is over ten sigma below.
  EXPECT_GT(slots.size(), kStacks * 60 / 100);
}

TEST(CallTraceHashTableTest, ALargerIndexChangesNoIdAndFindsEveryStack) {
  SmallTable table(64, 1 << 20);
  std::vector<CallTraceId> ids;
  for (uint64_t seed = 0; seed < 60; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  const test::GuardedPage larger(CallTraceIndex::RegionSize(1024));
  table->UseIndex(CallTraceIndex::In(larger.region(), 1024));
  for (uint64_t seed = 60; seed < 500; ++seed) ids.push_back(PutInSignal(table, StackOf(seed)));
  EXPECT_EQ(std::set<CallTraceId>(ids.begin(), ids.end()).size(), 500u);
  for (uint64_t seed = 0; seed < 500; ++seed) {
    ASSERT_EQ(PutInSignal(table, StackOf(seed)), ids[seed]);
    ASSERT_TRUE(Same(table->Find(ids[seed]), StackOf(seed)));
  }
}

TEST(CallTraceStorageTest, PutStoresOnlyIfATableIsActive) {
  SmallTable table(64, 1 << 16, 3);
  CallTraceStorage storage;
  GuardCells cells{};
  const TestStack stack = StackOf(1);
  CallTraceId id{};
  InSignal([&] { id = PutInActive(storage, cells, stack.AsStack()); });
  EXPECT_EQ(id, kDroppedCallTrace);
  storage.Activate(table.operator->());
  InSignal([&] { id = PutInActive(storage, cells, stack.AsStack()); });
  EXPECT_TRUE(Same(table->Find(id), stack));
  EXPECT_FALSE(IsHeld(cells, table.operator->()));
}

}  // namespace
}  // namespace jprof
