#include "engines/cpu_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "os/kernel_tick.h"

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Nanos kMilli = 1'000'000;

// What is refused.
enum Refused { kNothing, kPerf, kTimers, kBoth };

struct Row {
  CpuTrigger asked;
  Nanos interval_ns;
  Refused refused;
  CpuTrigger runs;
};

CpuFacilities With(Refused refused) {
  CpuFacilities facilities;
  facilities.tick_ns = 4 * kMilli;
  facilities.counts_switches = true;
  if (refused == kPerf || refused == kBoth) facilities.perf_events = Error("no perf today");
  if (refused == kTimers || refused == kBoth) facilities.thread_timers = Error("no timers today");
  return facilities;
}

class CpuChoiceTest : public testing::TestWithParam<Row> {};

TEST_P(CpuChoiceTest, TheCheapestThatHonoursTheRequestRunsElseWhatIsLeft) {
  const Row& row = GetParam();
  const CpuChoice choice = ChooseCpuTrigger({row.asked, row.interval_ns}, With(row.refused));
  EXPECT_EQ(choice.trigger, row.runs);
  EXPECT_EQ(choice.interval_ns, row.interval_ns);
}

using enum CpuTrigger;
INSTANTIATE_TEST_SUITE_P(Table, CpuChoiceTest,
                         testing::Values(Row{kBest, 10 * kMilli, kNothing, kThreadTimers},
                                         Row{kBest, 4 * kMilli, kNothing, kThreadTimers},
                                         Row{kBest, 4 * kMilli - 1, kNothing, kPerfEvents},
                                         Row{kBest, kMilli / 10, kNothing, kPerfEvents},
                                         Row{kBest, kMilli, kPerf, kThreadTimers},
                                         Row{kBest, kMilli, kBoth, kProcessTimer},
                                         Row{kBest, 10 * kMilli, kTimers, kPerfEvents},
                                         Row{kBest, 10 * kMilli, kBoth, kProcessTimer},
                                         Row{kThreadTimers, kMilli, kNothing, kThreadTimers},
                                         Row{kThreadTimers, kMilli, kTimers, kPerfEvents},
                                         Row{kPerfEvents, 10 * kMilli, kNothing, kPerfEvents},
                                         Row{kPerfEvents, 10 * kMilli, kPerf, kThreadTimers},
                                         Row{kProcessTimer, kMilli, kNothing, kProcessTimer}));

TEST(CpuChoiceTextTest, SaysWhatRunsAndWhy) {
  EXPECT_EQ(ChooseCpuTrigger({kBest, 10 * kMilli}, With(kNothing)).text,
            "thread timers (kernel tick 4 ms)");
  EXPECT_EQ(ChooseCpuTrigger({kBest, kMilli}, With(kNothing)).text,
            "perf_events (kernel tick 4 ms; thread timers for threads that switch very often)");
}

TEST(CpuChoiceExchangeTest, OnlyWhoAskedForNoTriggerMayGetTimersForSomeThreads) {
  EXPECT_TRUE(ChooseCpuTrigger({kBest, kMilli}, With(kNothing)).may_take_timers);
  EXPECT_FALSE(ChooseCpuTrigger({kBest, 10 * kMilli}, With(kNothing)).may_take_timers);
  EXPECT_FALSE(ChooseCpuTrigger({kBest, kMilli}, With(kTimers)).may_take_timers);
  EXPECT_FALSE(ChooseCpuTrigger({kPerfEvents, kMilli}, With(kNothing)).may_take_timers);
  CpuFacilities blind = With(kNothing);
  blind.counts_switches = false;
  EXPECT_FALSE(ChooseCpuTrigger({kBest, kMilli}, blind).may_take_timers);
  EXPECT_FALSE(
      ChooseCpuTrigger({kBest, kMilli, KernelFrames::kYes}, With(kNothing)).may_take_timers);
}

TEST(CpuChoiceTextTest, SaysWhatWasRefusedAndWhatThatMeans) {
  EXPECT_THAT(ChooseCpuTrigger({kBest, kMilli}, With(kPerf)).text,
              AllOf(HasSubstr("thread timers (kernel tick 4 ms; not perf_events: no perf today"),
                    HasSubstr("at most a sample per tick")));
  EXPECT_THAT(ChooseCpuTrigger({kPerfEvents, 10 * kMilli}, With(kPerf)).text,
              AllOf(HasSubstr("no perf today"), Not(HasSubstr("at most"))));
}

TEST(CpuChoiceTextTest, SaysWhenTheKernelTakesFewerSamplesThanWereAskedFor) {
  CpuFacilities slow = With(kNothing);
  slow.perf_samples_per_second = 250;
  EXPECT_THAT(ChooseCpuTrigger({kBest, kMilli}, slow).text,
              HasSubstr("at most 250 samples a second of a thread"));
  EXPECT_THAT(ChooseCpuTrigger({kPerfEvents, 4 * kMilli}, slow).text, Not(HasSubstr("at most")));
  EXPECT_THAT(ChooseCpuTrigger({kThreadTimers, kMilli}, slow).text, Not(HasSubstr("250")));
}

CpuChoice WithKernelFrames(CpuTrigger trigger, const CpuFacilities& facilities) {
  return ChooseCpuTrigger({trigger, 10 * kMilli, KernelFrames::kYes}, facilities);
}

TEST(CpuChoiceKernelFramesTest, TheyCallForPerfEvents) {
  const CpuChoice choice = WithKernelFrames(kBest, With(kNothing));
  EXPECT_EQ(choice.trigger, kPerfEvents);
  EXPECT_EQ(choice.kernel_frames, KernelFrames::kYes);
  EXPECT_EQ(choice.text, "perf_events (kernel tick 4 ms; with kernel frames)");
}

TEST(CpuChoiceKernelFramesTest, WhereTheyCannotBeHadItSaysWhy) {
  CpuFacilities hidden = With(kNothing);
  hidden.kernel_frames = Error("addresses are hidden");
  for (const CpuChoice& choice :
       {WithKernelFrames(kBest, hidden), WithKernelFrames(kBest, With(kPerf)),
        WithKernelFrames(kThreadTimers, With(kNothing))}) {
    EXPECT_EQ(choice.kernel_frames, KernelFrames::kNo);
    EXPECT_THAT(choice.text, HasSubstr("no kernel frames: "));
  }
  EXPECT_THAT(WithKernelFrames(kBest, hidden).text, HasSubstr("addresses are hidden"));
}

TEST(CpuFacilitiesTest, OfThisMachineAreReadable) {
  const CpuFacilities facilities = ReadCpuFacilities({kBest, kMilli, KernelFrames::kYes});
  EXPECT_GE(facilities.tick_ns, kMilli / 2);
  EXPECT_LE(facilities.tick_ns, 10 * kMilli);
  EXPECT_EQ(facilities.tick_ns, KernelTickNanos());
  EXPECT_TRUE(facilities.thread_timers.ok());
}

TEST(CpuFacilitiesTest, NobodyOpensAPerfEventWhereTimersWillDo) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const CpuFacilities timers = ReadCpuFacilities({kBest, 10 * kMilli});
  const CpuFacilities perf = ReadCpuFacilities({kPerfEvents, 10 * kMilli});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(timers.perf_events.ok());
  EXPECT_FALSE(perf.perf_events.ok()) << "there is no descriptor for it";
}

}  // namespace
}  // namespace jprof
