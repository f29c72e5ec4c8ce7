#include "call_traces/call_trace_rotation.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "call_traces/rotation_world.h"

namespace jprof {
namespace {

using test::EpochOf;
using test::RotationWorld;
using test::StackOf;
using test::TestStack;

using Ids = std::set<CallTraceId>;

TEST(CallTraceRotationTest, TracesAreFoundUntilTheirEpochIsWritten) {
  RotationWorld world;
  std::set<CallTraceId> seen;
  for (uint64_t round = 0; round < 10; ++round) {
    Ids put;
    for (uint64_t seed = 0; seed < 50; ++seed) put.insert(world.Put(StackOf(round * 10 + seed)));
    const RotationWorld::Rotated rotated = world.Rotate();
    EXPECT_TRUE(rotated.flipped);
    EXPECT_EQ(rotated.gone, put);
    EXPECT_EQ(rotated.last_epoch, EpochOf(*put.begin()));
    for (const CallTraceId id : put) {
      EXPECT_TRUE(seen.insert(id).second) << "issued twice";
      EXPECT_EQ(world->Find(id), nullptr);
    }
  }
}

TEST(CallTraceRotationTest, AStackIsFoundUnderItsIdUntilItsEpochIsProcessed) {
  RotationWorld world;
  const TestStack stack = StackOf(1);
  const CallTraceId id = world.Put(stack);
  EXPECT_TRUE(Same(world->Find(id), stack));
  world->ProcessCallTraces([&](uint32_t) { EXPECT_TRUE(Same(world->Find(id), stack)); },
                           [&] { EXPECT_TRUE(Same(world->Find(id), stack)); });
  EXPECT_EQ(world->Find(id), nullptr);
}

TEST(CallTraceRotationTest, TracesKeepTheirIdWhileTheyAreNamed) {
  RotationWorld world;
  const TestStack kept = StackOf(1, 40);
  std::optional<CallTraceId> live = world.Put(kept);
  const CallTraceId id = *live;
  const CallTraceId other = world.Put(StackOf(2));
  world->RegisterLivenessChecker([&](LiveCallTraces& traces) {
    if (live) traces.Keep(*live);
  });
  EXPECT_EQ(world.Rotate().gone, Ids{other});
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(Same(world->Find(id), kept));
    const CallTraceId again = world.Put(kept);
    EXPECT_NE(again, id) << "kept by id, not by stack";
    EXPECT_EQ(world.Rotate().gone, Ids{again});
  }
  live.reset();
  EXPECT_TRUE(Same(world->Find(id), kept)) << "named when the last epoch ended";
  EXPECT_EQ(world.Rotate().gone, Ids{id});
}

TEST(CallTraceRotationTest, KeepsAnIdNamedBeforeItsEpochEnds) {
  RotationWorld world;
  CallTraceId id{};
  world->RegisterLivenessChecker([&](LiveCallTraces& traces) { traces.Keep(id); });
  world.Rotate();
  // The trace is put in the middle of a rotation, into the epoch that has just begun.
  world->ProcessCallTraces([](uint32_t) {}, [&] { id = world.Put(StackOf(7)); });
  EXPECT_TRUE(Same(world->Find(id), StackOf(7)));
  world.Rotate();
  EXPECT_TRUE(Same(world->Find(id), StackOf(7)));
}

TEST(CallTraceRotationTest, SetsATableAsideUntilItsReaderLeaves) {
  RotationWorld world;
  const TestStack before = StackOf(1);
  const TestStack late = StackOf(2);
  auto stalled = world.Hold(1);
  const CallTraceId id = (*stalled)->Put(before.AsStack());
  world.Watch(id);

  EXPECT_TRUE(world.Rotate().gone.empty()) << "the epoch is not complete";
  EXPECT_TRUE(Same(world->Find(id), before));
  for (uint64_t round = 0; round < 4; ++round) {
    const CallTraceId other = world.Put(StackOf(100 + round));
    const RotationWorld::Rotated rotated = world.Rotate();
    EXPECT_TRUE(rotated.flipped) << "the two other tables go on";
    EXPECT_EQ(rotated.gone, Ids{other});
  }
  const CallTraceId late_id = (*stalled)->Put(late.AsStack());
  world.Watch(late_id);
  EXPECT_EQ(EpochOf(late_id), EpochOf(id)) << "the table has not been reused";
  EXPECT_TRUE(Same(world->Find(late_id), late));
  stalled.reset();
  EXPECT_EQ(world.Rotate().gone, (Ids{id, late_id}));
  EXPECT_EQ(world->Find(id), nullptr);
}

TEST(CallTraceRotationTest, WaitsAndLosesNothingWhileTwoTablesAreHeld) {
  RotationWorld world;
  auto first = world.Hold(1);
  EXPECT_TRUE(world.Rotate().flipped);
  auto second = world.Hold(2);
  EXPECT_TRUE(world.Rotate().flipped);
  const CallTraceId id = world.Put(StackOf(5));
  for (int round = 0; round < 3; ++round) {
    const RotationWorld::Rotated rotated = world.Rotate();
    EXPECT_FALSE(rotated.flipped);
    EXPECT_TRUE(rotated.gone.empty());
    EXPECT_GE(rotated.last_epoch, EpochOf(id)) << "what was sampled is drained all the same";
    EXPECT_TRUE(Same(world->Find(id), StackOf(5)));
  }
  first.reset();
  EXPECT_FALSE(world.Rotate().flipped) << "the table is spare from now on";
  EXPECT_EQ(world.Rotate().gone, Ids{id});
  second.reset();
}

TEST(CallTraceRotationTest, TheLastEpochIsFoundAfterDeactivateUntilItIsWritten) {
  RotationWorld world;
  const CallTraceId id = world.Put(StackOf(1));
  EXPECT_TRUE(world->Deactivate());
  EXPECT_EQ(world.Put(StackOf(2)), kDroppedCallTrace);
  const RotationWorld::Rotated rotated = world.Rotate();
  EXPECT_FALSE(rotated.flipped);
  EXPECT_EQ(rotated.gone, Ids{id});
  EXPECT_TRUE(world.Rotate().gone.empty());
}

TEST(CallTraceRotationTest, DeactivateWaitsForAReader) {
  RotationWorld world;
  auto reader = world.Hold(1);
  std::atomic<bool> deactivated{false};
  std::thread stopper([&] {
    EXPECT_TRUE(world->Deactivate());
    deactivated = true;
  });
  while (world.storage().active()) std::this_thread::yield();
  EXPECT_FALSE(deactivated.load());
  reader.reset();
  stopper.join();
  EXPECT_TRUE(deactivated.load());
}

TEST(CallTraceRotationTest, EpochsAreNumberedOverAllRuns) {
  std::set<uint32_t> epochs;
  for (int run = 0; run < 3; ++run) {
    RotationWorld world;
    for (int round = 0; round < 4; ++round) {
      EXPECT_TRUE(epochs.insert(EpochOf(world.Put(StackOf(1)))).second);
      world.Rotate();
    }
  }
  EXPECT_EQ(epochs.count(0), 0u);
}

TEST(CallTraceRotationTest, AFullTableRefusesAndTheNextEpochServesAgain) {
  RotationWorld world(4 << 20);
  uint64_t seed = 0;
  EXPECT_FALSE(world->NearlyFull());
  while (world.Put(StackOf(seed, 100)) != kDroppedCallTrace) ++seed;
  EXPECT_GT(seed, 400u);
  EXPECT_TRUE(world->NearlyFull());
  EXPECT_EQ(world.Rotate().gone.size(), seed);
  EXPECT_FALSE(world->NearlyFull());
  for (uint64_t again = 0; again < seed; ++again) {
    ASSERT_NE(world.Put(StackOf(again, 100)), kDroppedCallTrace);
  }
}

// The design document of the storage shows the usage that this test runs.
TEST(CallTraceRotationTest, TheDocumentedUsageWorks) {
  RotationWorld world;
  std::set<CallTraceId> in_use;
  world->RegisterLivenessChecker([&](LiveCallTraces& traces) {
    for (const CallTraceId id : in_use) traces.Keep(id);
  });
  const TestStack stack = StackOf(3);
  in_use.insert(world.Put(stack));
  size_t written = 0;
  world->ProcessCallTraces([](uint32_t) {},
                           [&] { written += Same(world->Find(*in_use.begin()), stack) ? 1 : 0; });
  EXPECT_EQ(written, 1u);
  EXPECT_TRUE(Same(world->Find(*in_use.begin()), stack));
}

}  // namespace
}  // namespace jprof
