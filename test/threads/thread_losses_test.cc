#include "threads/thread_losses.h"

#include <gtest/gtest.h>

#include <vector>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;

class ThreadLossesTest : public test::RegistryTest {};

TEST_F(ThreadLossesTest, LossesAreChargedToTheThreadThatHadThem) {
  LiveThread first;
  first.Run([&] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  ThreadSlot* slot = SlotOf(first.tid());
  const uint32_t serial = SerialOf(first.tid());
  slot->AddLost(SampleKind::kCpu, LostReason::kStorageFull, 3);
  first.Run([&] { registry_.OnNativeThreadEnd(); });
  LiveThread second;
  second.Run([&] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  ASSERT_EQ(SlotOf(second.tid()), slot) << "the slot is used again";
  slot->AddLost(SampleKind::kWall, LostReason::kSamplesFull, 2);
  const std::vector<ThreadLoss> losses = registry_.TakeLosses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].serial, serial);
  EXPECT_EQ(losses[0].tid, first.tid());
  EXPECT_EQ(losses[0].kind, SampleKind::kCpu);
  EXPECT_EQ(losses[0].reason, LostReason::kStorageFull);
  EXPECT_EQ(losses[0].weight, 3u);
  EXPECT_EQ(losses[1].serial, SerialOf(second.tid()));
  EXPECT_EQ(losses[1].weight, 2u);
  EXPECT_TRUE(registry_.TakeLosses().empty()) << "each loss is taken once";
}

// If the recorder's thread is blocked, no call to Take comes.
TEST(ThreadLossesOfManyTest, CountsLossesBeyondTheBoundForTheProcess) {
  constexpr size_t kMostNamed = 2;
  ThreadLosses losses(kMostNamed);
  LostWithoutThread(SampleKind::kCpu) = 0;
  for (uint32_t serial = 1; serial <= 5; ++serial) {
    ThreadSlot slot;
    slot.serial = serial;
    slot.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 10);
    losses.Collect(slot);
  }
  EXPECT_EQ(losses.Take().size(), kMostNamed);
  EXPECT_EQ(LostWithoutThread(SampleKind::kCpu).exchange(0), 30u);
  ThreadSlot slot;
  slot.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 10);
  losses.Collect(slot);
  EXPECT_EQ(losses.Take().size(), 1u) << "there is room again";
}

}  // namespace
}  // namespace jprof
