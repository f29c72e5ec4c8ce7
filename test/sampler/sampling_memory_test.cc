#include "sampler/sampling_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "sigsafe/stack/walk_buffers.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

using test::LiveThread;

constexpr size_t kMemory = 16 << 20;

class SamplingMemoryTest : public testing::Test {
 protected:
  ~SamplingMemoryTest() override { Sampling().traces.Activate(nullptr); }

  std::unique_ptr<SamplingMemory> Reserved(const SamplingMemory::Plan& plan) {
    Result<std::unique_ptr<SamplingMemory>> memory = SamplingMemory::Reserve(plan, slots_);
    EXPECT_TRUE(memory.ok());
    return std::move(memory).value();
  }

  Pages pages_ = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots slots_{pages_.region()};
};

TEST_F(SamplingMemoryTest, HandlersFindATableFromActivateToDeactivate) {
  ThreadSlot* slot = slots_.Claim(Tid{1});
  const auto memory = Reserved({3, 128, 0, kMemory});
  Sampling().SetInterval(SampleKind::kWall, 5'000'000);  // the interval of an earlier run
  EXPECT_FALSE(Sampling().traces.Enter(slot->guards));
  memory->Activate();
  EXPECT_TRUE(Sampling().traces.Enter(slot->guards));
  EXPECT_EQ(Sampling().run, 3u);
  EXPECT_EQ(Sampling().IntervalOf(SampleKind::kWall), 0);
  EXPECT_EQ(Sampling().samples, &memory->samples());
  EXPECT_TRUE(memory->Deactivate());
  EXPECT_FALSE(Sampling().traces.Enter(slot->guards));
}

TEST_F(SamplingMemoryTest, DeactivateWaitsForAGuardThatAnotherThreadHolds) {
  const auto memory = Reserved({1, 128, 0, kMemory});
  memory->Activate();
  slots_.Claim(Tid{1});
  ThreadSlot* slot = slots_.Claim(Tid{2});
  LiveThread handler;
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  handler.Start([&] {
    const CallTraceStorage::Guard guard = Sampling().traces.Enter(slot->guards);
    inside = true;
    while (!leave.load()) usleep(100);
  });
  while (!inside.load()) usleep(100);
  LiveThread stopper;
  std::atomic<bool> deactivated{false};
  stopper.Start([&] {
    EXPECT_TRUE(memory->Deactivate());
    deactivated = true;
  });
  // No other handler can enter while Deactivate waits.
  while (Sampling().traces.active()) usleep(100);
  EXPECT_FALSE(deactivated.load());
  leave = true;
  handler.Finish();
  stopper.Finish();
  EXPECT_TRUE(deactivated.load());
}

TEST_F(SamplingMemoryTest, NoSlotKeepsABlockOfAnEarlierRun) {
  ThreadSlot* slot = slots_.Claim(Tid{1});
  const auto memory = Reserved({1, 128, 0, kMemory});
  memory->Activate();
  ASSERT_TRUE(memory->samples().Push(*slot, 0, Sample{}));
  EXPECT_NE(slot->sample_block[0].load(), nullptr);
  EXPECT_TRUE(memory->Deactivate());
  EXPECT_EQ(slot->sample_block[0].load(), nullptr);
}

// Before the first sample, a reservation takes a few hundred KB of memory, however large its limit
// is.
TEST_F(SamplingMemoryTest, AReservationTakesAddressSpaceAndLittleMemory) {
  const auto resident = [] {
    size_t pages = 0;
    size_t total = 0;
    FILE* file = fopen("/proc/self/statm", "re");
    EXPECT_EQ(fscanf(file, "%zu %zu", &total, &pages), 2);
    fclose(file);
    return pages * 4096;
  };
  { const auto warm = Reserved({1, 2048, 0, kMemory}); }
  const size_t before = resident();
  const auto memory = Reserved({1, 2048, 0, size_t{4} << 30});
  memory->Activate();
  EXPECT_LT(resident() - before, 2u << 20);
  EXPECT_TRUE(memory->Deactivate());
}

TEST_F(SamplingMemoryTest, ReplacesWalkBuffersOnlyByDeeperOnes) {
  Reserved({1, 100, 0, kMemory});
  WalkBuffers* first = TheWalkEnvironment().buffers;
  ASSERT_NE(first, nullptr);
  Reserved({2, 10, 5, kMemory});
  EXPECT_EQ(TheWalkEnvironment().buffers, first);
  WalkBuffer buffer;
  ASSERT_TRUE(first->Claim(&buffer));
  EXPECT_EQ(buffer.depth, 10u);
  EXPECT_EQ(buffer.root_depth, 5u);
  Reserved({3, 5000, 0, kMemory});
  EXPECT_NE(TheWalkEnvironment().buffers, first);
  EXPECT_GE(TheWalkEnvironment().buffers->capacity(), 5000u);
  first->Release(buffer);  // a handler that was preempted with a buffer of the old set
}

}  // namespace
}  // namespace jprof
