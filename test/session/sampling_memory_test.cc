#include "session/sampling_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/stack/walk_buffers.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

using test::LiveThread;

std::unique_ptr<SamplingMemory> Reserved(const SamplingMemory::Plan& plan) {
  Result<std::unique_ptr<SamplingMemory>> memory = SamplingMemory::Reserve(plan);
  EXPECT_TRUE(memory.ok());
  return std::move(memory).value();
}

class SamplingMemoryTest : public testing::Test {
 protected:
  ~SamplingMemoryTest() override { ActiveSampling() = nullptr; }

  Pages pages_ = std::move(Pages::Reserve(ThreadRecords::kRegionSize)).value();
  ThreadRecords records_{pages_.region()};
};

TEST_F(SamplingMemoryTest, HandlersFindTheStateFromActivateToDeactivate) {
  const auto memory = Reserved({3, 5'000'000, 128});
  EXPECT_EQ(ActiveSampling().load(), nullptr);
  memory->Activate();
  EXPECT_EQ(ActiveSampling().load(), &memory->state());
  EXPECT_EQ(memory->state().session, 3u);
  EXPECT_EQ(memory->state().wall_interval_ns, 5'000'000);
  memory->Deactivate(records_);
  EXPECT_EQ(ActiveSampling().load(), nullptr);
}

TEST_F(SamplingMemoryTest, DeactivateWaitsForAGuardThatAnotherThreadHolds) {
  const auto memory = Reserved({1, 0, 128});
  memory->Activate();
  records_.Claim(Tid{1});
  ProfiledThread* record = records_.Claim(Tid{2});
  LiveThread handler;
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  handler.Start([&] {
    const RefCountGuard<SamplingState> guard(record->guards, ActiveSampling());
    inside = true;
    while (!leave.load()) usleep(100);
  });
  while (!inside.load()) usleep(100);
  LiveThread stopper;
  std::atomic<bool> deactivated{false};
  stopper.Start([&] {
    memory->Deactivate(records_);
    deactivated = true;
  });
  usleep(50'000);
  EXPECT_FALSE(deactivated.load());
  EXPECT_EQ(ActiveSampling().load(), nullptr) << "nobody new can enter meanwhile";
  leave = true;
  handler.Finish();
  stopper.Finish();
  EXPECT_TRUE(deactivated.load());
}

TEST_F(SamplingMemoryTest, AGuardOfAnotherSessionDoesNotHoldItUp) {
  const auto old_memory = Reserved({1, 0, 128});
  const auto memory = Reserved({2, 0, 128});
  ProfiledThread* record = records_.Claim(Tid{1});
  old_memory->Activate();
  const RefCountGuard<SamplingState> guard(record->guards, ActiveSampling());
  memory->Activate();
  memory->Deactivate(records_);
}

TEST_F(SamplingMemoryTest, WalkBuffersAreReplacedOnlyByDeeperOnesAndFollowThePlan) {
  Reserved({1, 0, 100});
  WalkBuffers* first = WalkBuffers::Active();
  ASSERT_NE(first, nullptr);
  Reserved({2, 0, 10});
  EXPECT_EQ(WalkBuffers::Active(), first);
  WalkBuffer buffer;
  ASSERT_TRUE(first->Claim(&buffer));
  EXPECT_EQ(buffer.depth, 10u);
  Reserved({3, 0, 5000});
  EXPECT_NE(WalkBuffers::Active(), first);
  EXPECT_GE(WalkBuffers::Active()->capacity(), 5000u);
  first->Release(buffer);  // a handler that was preempted in the old set
}

}  // namespace
}  // namespace jprof
