#include "os/process_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/cpu_clock.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr Nanos kBurn = 200'000'000;
constexpr Nanos kClockTick = 10'000'000;

void BurnCpu() {
  const Nanos end = ThreadCpuNanos() + kBurn;
  while (ThreadCpuNanos() < end) {
  }
}

TEST(ProcessLoadTest, ProcessAndThreadTimesGrowByWhatAThreadBurns) {
  const CpuTimes process = ProcessCpuTimes();
  const auto thread = TaskCpuTimes(CurrentTid());
  ASSERT_TRUE(thread.has_value());
  BurnCpu();
  const CpuTimes process_after = ProcessCpuTimes();
  const auto after = TaskCpuTimes(CurrentTid());
  ASSERT_TRUE(after.has_value());
  const auto sum = [](const CpuTimes& times) { return times.user_ns + times.system_ns; };
  EXPECT_GE(sum(process_after) - sum(process), kBurn - kClockTick);
  EXPECT_GE(sum(*after) - sum(*thread), kBurn - 2 * kClockTick);
}

TEST(ProcessLoadTest, AThreadThatDoesNotExistHasNoTimes) {
  EXPECT_FALSE(TaskCpuTimes(Tid{1 << 30}).has_value());
}

TEST(ProcessLoadTest, CountsHowOftenAThreadGetsAProcessor) {
  const auto before = TaskRunQueue(CurrentTid());
  if (!before) GTEST_SKIP() << "this kernel does not count";
  constexpr int kSleeps = 50;
  for (int i = 0; i < kSleeps; ++i) usleep(1000);
  EXPECT_GE(TaskRunQueue(CurrentTid())->runs, before->runs + kSleeps / 2);
  EXPECT_FALSE(TaskRunQueue(Tid{1 << 30}).has_value());
}

TEST(ProcessLoadTest, TheMachineIsBusyUnlessItIdlesOrWaits) {
  const auto ticks = ParseMachineTicks("cpu  1 2 3 4 5 6 7 8 90 100\ncpu0 1 2 3\n");
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->all, 36u);
  EXPECT_EQ(ticks->busy, 27u);
}

TEST(ProcessLoadTest, ALineOfAnotherFormatIsRefused) {
  EXPECT_FALSE(ParseMachineTicks("").has_value());
  EXPECT_FALSE(ParseMachineTicks("cpu0 1 2 3 4 5 6 7 8").has_value());
  EXPECT_FALSE(ParseMachineTicks("cpu 1 2 3").has_value());
  EXPECT_FALSE(ParseResidentSet("VmSize:\t1 kB\n").has_value());
}

TEST(ProcessLoadTest, TheResidentSetIsInBytes) {
  const auto set = ParseResidentSet("Name:\tjava\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\n");
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->size_bytes, 1024 * 1024);
  EXPECT_EQ(set->peak_bytes, 2048 * 1024);
}

TEST(ProcessLoadTest, ReadsThisMachineAndProcess) {
  const auto ticks = ReadMachineTicks();
  ASSERT_TRUE(ticks.has_value());
  EXPECT_GE(ticks->all, ticks->busy);
  const auto set = ReadResidentSet();
  ASSERT_TRUE(set.has_value());
  EXPECT_GE(set->peak_bytes, set->size_bytes);
  EXPECT_GT(set->size_bytes, 0);
}

}  // namespace
}  // namespace jprof
