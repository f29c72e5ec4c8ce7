#include "engines/lock/thread_waits.h"

#include <gtest/gtest.h>

#include <memory>

namespace jprof {
namespace {

constexpr Nanos kInterval = 100;

class ThreadWaitsTest : public ::testing::Test {
 protected:
  ThreadWaitsTest() {
    waits_.Begin(kInterval);
    thread_->index = 300;
    SetThread(5, 4711);
  }
  void SetThread(uint32_t serial, int32_t tid) {
    thread_->serial.store(serial);
    thread_->tid.store(Tid{tid});
  }

  ThreadWaits& waits_ = ThreadWaits::OfProcess();
  const std::unique_ptr<ThreadSlot> thread_ = std::make_unique<ThreadSlot>();
};

TEST_F(ThreadWaitsTest, AThreadsWaitsAreTakenOnceAndStayInAllSums) {
  waits_.Add(thread_.get(), WaitType::kPark, 10);
  waits_.Add(thread_.get(), WaitType::kPark, 500);
  waits_.Add(thread_.get(), WaitType::kMonitorWait, 7);
  const auto taken = waits_.Take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].serial, 5U);
  EXPECT_EQ(taken[0].tid, Tid{4711});
  const auto sum = [&](WaitType type) { return taken[0].sums[static_cast<size_t>(type)]; };
  EXPECT_EQ(sum(WaitType::kPark).waits, 2U);
  EXPECT_EQ(sum(WaitType::kPark).total_ns, 510U);
  EXPECT_EQ(sum(WaitType::kMonitorWait).total_ns, 7U);
  EXPECT_EQ(sum(WaitType::kMonitorEnter).waits, 0U);
  EXPECT_TRUE(waits_.Take().empty());
  waits_.Add(thread_.get(), WaitType::kPark, 1);
  EXPECT_EQ(waits_.Take().at(0).sums[static_cast<size_t>(WaitType::kPark)].total_ns, 1U);
  const WaitSums all = waits_.Of(WaitType::kPark);
  EXPECT_EQ(all.waits, 3U);
  EXPECT_EQ(all.total_ns, 511U);
  EXPECT_EQ(all.short_waits, 2U);
  EXPECT_EQ(all.short_ns, 11U);
  EXPECT_EQ(all.longest_ns, 500U);
}

TEST_F(ThreadWaitsTest, KeepsTheWaitsOfAnEarlierThreadOfTheSlot) {
  waits_.Add(thread_.get(), WaitType::kPark, 10);
  SetThread(6, 4712);
  waits_.Add(thread_.get(), WaitType::kPark, 20);
  waits_.End(*thread_);
  EXPECT_TRUE(waits_.Take().empty());
  const auto ended = waits_.TakeEnded();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].serial, 5U);
  EXPECT_EQ(ended[0].sums[static_cast<size_t>(WaitType::kPark)].total_ns, 10U);
  EXPECT_EQ(ended[1].serial, 6U);
  EXPECT_EQ(ended[1].sums[static_cast<size_t>(WaitType::kPark)].total_ns, 20U);
  EXPECT_TRUE(waits_.TakeEnded().empty());
  EXPECT_EQ(waits_.Of(WaitType::kPark).total_ns, 30U);
}

TEST_F(ThreadWaitsTest, UnknownAndOldVirtualThreadsCountOnlyInTotals) {
  waits_.AddVirtual(40, WaitType::kPark, 1);
  waits_.CountVirtualFrom(50);
  waits_.AddVirtual(49, WaitType::kPark, 2);
  waits_.AddVirtual(50, WaitType::kPark, 4);
  waits_.Add(nullptr, WaitType::kPark, 8);
  EXPECT_EQ(waits_.OfVirtual(WaitType::kPark).total_ns, 4U);
  EXPECT_EQ(waits_.Of(WaitType::kPark).total_ns, 15U);
  EXPECT_TRUE(waits_.Take().empty());
  waits_.Begin(kInterval);
  EXPECT_EQ(waits_.Of(WaitType::kPark).waits, 0U);
}

}  // namespace
}  // namespace jprof
