#include "traces/trace_rotation.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "traces/rotation_world.h"

namespace jprof {
namespace {

using test::EpochOf;
using test::RotationWorld;
using test::StackOf;
using test::TestStack;

using Ids = std::set<TraceId>;

TEST(TraceRotationTest, EachTraceOfAnEpochIsFoundUntilTheEpochIsWrittenAndThenGone) {
  RotationWorld world;
  std::set<TraceId> seen;
  for (uint64_t round = 0; round < 10; ++round) {
    Ids put;
    for (uint64_t seed = 0; seed < 50; ++seed) put.insert(world.Put(StackOf(round * 10 + seed)));
    const RotationWorld::Rotated rotated = world.Rotate();
    EXPECT_TRUE(rotated.flipped);
    EXPECT_EQ(rotated.gone, put);
    EXPECT_EQ(rotated.last_epoch, EpochOf(*put.begin()));
    for (const TraceId id : put) {
      EXPECT_TRUE(seen.insert(id).second) << "issued twice";
      EXPECT_EQ(world->Find(id), nullptr);
    }
  }
}

TEST(TraceRotationTest, AStackIsFoundUnderItsIdUntilItsEpochIsProcessed) {
  RotationWorld world;
  const TestStack stack = StackOf(1);
  const TraceId id = world.Put(stack);
  EXPECT_TRUE(Same(world->Find(id), stack));
  world->ProcessTraces([&](uint32_t) { EXPECT_TRUE(Same(world->Find(id), stack)); },
                       [&] { EXPECT_TRUE(Same(world->Find(id), stack)); });
  EXPECT_EQ(world->Find(id), nullptr);
}

TEST(TraceRotationTest, NamedTracesKeepTheirIdUntilTheyAreNamedNoMore) {
  RotationWorld world;
  const TestStack kept = StackOf(1, 40);
  std::optional<TraceId> live = world.Put(kept);
  const TraceId id = *live;
  const TraceId other = world.Put(StackOf(2));
  world->RegisterLivenessChecker([&](LiveTraces& traces) {
    if (live) traces.Keep(*live);
  });
  EXPECT_EQ(world.Rotate().gone, Ids{other});
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(Same(world->Find(id), kept));
    const TraceId again = world.Put(kept);
    EXPECT_NE(again, id) << "kept by id, not by stack";
    EXPECT_EQ(world.Rotate().gone, Ids{again});
  }
  live.reset();
  EXPECT_TRUE(Same(world->Find(id), kept)) << "named when the last epoch ended";
  EXPECT_EQ(world.Rotate().gone, Ids{id});
}

TEST(TraceRotationTest, AnIdThatIsNamedBeforeItsEpochEndsIsKeptWhenItDoes) {
  RotationWorld world;
  TraceId id{};
  world->RegisterLivenessChecker([&](LiveTraces& traces) { traces.Keep(id); });
  world.Rotate();
  // Put in the middle of a rotation: the epoch that has just begun.
  world->ProcessTraces([](uint32_t) {}, [&] { id = world.Put(StackOf(7)); });
  EXPECT_TRUE(Same(world->Find(id), StackOf(7)));
  world.Rotate();
  EXPECT_TRUE(Same(world->Find(id), StackOf(7)));
}

TEST(TraceRotationTest, ATableThatAReaderHoldsIsSetAsideUntilTheReaderHasLeft) {
  RotationWorld world;
  const TestStack before = StackOf(1);
  const TestStack late = StackOf(2);
  auto stalled = world.Hold(1);
  const TraceId id = (*stalled)->Put(before.AsStack());
  world.Watch(id);

  EXPECT_TRUE(world.Rotate().gone.empty()) << "the epoch is not complete";
  EXPECT_TRUE(Same(world->Find(id), before));
  for (uint64_t round = 0; round < 4; ++round) {
    const TraceId other = world.Put(StackOf(100 + round));
    const RotationWorld::Rotated rotated = world.Rotate();
    EXPECT_TRUE(rotated.flipped) << "the two other tables go on";
    EXPECT_EQ(rotated.gone, Ids{other});
  }
  const TraceId late_id = (*stalled)->Put(late.AsStack());
  world.Watch(late_id);
  EXPECT_EQ(EpochOf(late_id), EpochOf(id)) << "the table has not been reused";
  EXPECT_TRUE(Same(world->Find(late_id), late));
  stalled.reset();
  EXPECT_EQ(world.Rotate().gone, (Ids{id, late_id}));
  EXPECT_EQ(world->Find(id), nullptr);
}

TEST(TraceRotationTest, WithTwoTablesHeldItWaitsWithTheThirdAndLosesNothing) {
  RotationWorld world;
  auto first = world.Hold(1);
  EXPECT_TRUE(world.Rotate().flipped);
  auto second = world.Hold(2);
  EXPECT_TRUE(world.Rotate().flipped);
  const TraceId id = world.Put(StackOf(5));
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

TEST(TraceRotationTest, TheLastEpochIsFoundAfterDeactivateUntilItIsWritten) {
  RotationWorld world;
  const TraceId id = world.Put(StackOf(1));
  EXPECT_TRUE(world->Deactivate());
  EXPECT_EQ(world.Put(StackOf(2)), kDroppedTrace);
  const RotationWorld::Rotated rotated = world.Rotate();
  EXPECT_FALSE(rotated.flipped);
  EXPECT_EQ(rotated.gone, Ids{id});
  EXPECT_TRUE(world.Rotate().gone.empty());
}

TEST(TraceRotationTest, DeactivateWaitsForAReader) {
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

TEST(TraceRotationTest, EpochsAreNumberedOverAllSessions) {
  std::set<uint32_t> epochs;
  for (int session = 0; session < 3; ++session) {
    RotationWorld world;
    for (int round = 0; round < 4; ++round) {
      EXPECT_TRUE(epochs.insert(EpochOf(world.Put(StackOf(1)))).second);
      world.Rotate();
    }
  }
  EXPECT_EQ(epochs.count(0), 0u);
}

TEST(TraceRotationTest, AFullTableRefusesAndTheNextEpochServesAgain) {
  RotationWorld world(4 << 20);
  uint64_t seed = 0;
  EXPECT_FALSE(world->NearlyFull());
  while (world.Put(StackOf(seed, 100)) != kDroppedTrace) ++seed;
  EXPECT_GT(seed, 400u);
  EXPECT_TRUE(world->NearlyFull());
  EXPECT_EQ(world.Rotate().gone.size(), seed);
  EXPECT_FALSE(world->NearlyFull());
  for (uint64_t again = 0; again < seed; ++again) {
    ASSERT_NE(world.Put(StackOf(again, 100)), kDroppedTrace);
  }
}

// As the design document of the storage shows its use.
TEST(TraceRotationTest, TheDocumentedUsageWorks) {
  RotationWorld world;
  std::set<TraceId> in_use;
  world->RegisterLivenessChecker([&](LiveTraces& traces) {
    for (const TraceId id : in_use) traces.Keep(id);
  });
  const TestStack stack = StackOf(3);
  in_use.insert(world.Put(stack));
  size_t written = 0;
  world->ProcessTraces([](uint32_t) {},
                       [&] { written += Same(world->Find(*in_use.begin()), stack) ? 1 : 0; });
  EXPECT_EQ(written, 1u);
  EXPECT_TRUE(Same(world->Find(*in_use.begin()), stack));
}

}  // namespace
}  // namespace jprof
