#include "engines/cpu/cpu_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "os/cpu_clock.h"

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Nanos kMilli = 1'000'000;

// The facilities that are not available.
enum Refused { kNothing, kPerf, kTimers, kBoth };

struct ChoiceRow {
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

CpuChoice Chosen(const CpuRequest& asked, const CpuFacilities& facilities) {
  const Result<CpuChoice> choice = ChooseCpuTrigger(asked, facilities);
  EXPECT_TRUE(choice.ok()) << choice.error().message();
  return choice ? choice.value() : CpuChoice();
}

class CpuChoiceTest : public testing::TestWithParam<ChoiceRow> {};

TEST_P(CpuChoiceTest, ChoosesTheCheapestTriggerOfTheRequest) {
  const ChoiceRow& row = GetParam();
  const CpuChoice choice = Chosen({row.asked, row.interval_ns}, With(row.refused));
  EXPECT_EQ(choice.trigger, row.runs);
  EXPECT_EQ(choice.interval_ns, row.interval_ns);
}

using enum CpuTrigger;
INSTANTIATE_TEST_SUITE_P(Table, CpuChoiceTest,
                         testing::Values(ChoiceRow{kBest, 10 * kMilli, kNothing, kThreadTimers},
                                         ChoiceRow{kBest, 4 * kMilli, kNothing, kThreadTimers},
                                         ChoiceRow{kBest, 4 * kMilli - 1, kNothing, kPerfEvents},
                                         ChoiceRow{kBest, kMilli / 10, kNothing, kPerfEvents},
                                         ChoiceRow{kBest, kMilli, kPerf, kThreadTimers},
                                         ChoiceRow{kBest, kMilli, kBoth, kProcessTimer},
                                         ChoiceRow{kBest, 10 * kMilli, kTimers, kPerfEvents},
                                         ChoiceRow{kBest, 10 * kMilli, kBoth, kProcessTimer},
                                         ChoiceRow{kThreadTimers, kMilli, kNothing, kThreadTimers},
                                         ChoiceRow{kThreadTimers, kMilli, kTimers, kPerfEvents},
                                         ChoiceRow{kPerfEvents, 10 * kMilli, kNothing, kPerfEvents},
                                         ChoiceRow{kPerfEvents, 10 * kMilli, kPerf, kThreadTimers},
                                         ChoiceRow{kProcessTimer, kMilli, kNothing,
                                                   kProcessTimer}));

TEST(CpuChoiceTextTest, SaysWhichTriggerRunsAndWhy) {
  EXPECT_EQ(Chosen({kBest, 10 * kMilli}, With(kNothing)).text, "thread timers (kernel tick 4 ms)");
  EXPECT_EQ(Chosen({kBest, kMilli}, With(kNothing)).text,
            "perf_events (kernel tick 4 ms; thread timers for threads that switch very often)");
}

TEST(CpuChoiceExchangeTest, MayExchangeTriggersOnlyIfNoneWasRequested) {
  EXPECT_TRUE(Chosen({kBest, kMilli}, With(kNothing)).may_take_timers);
  EXPECT_FALSE(Chosen({kBest, 10 * kMilli}, With(kNothing)).may_take_timers);
  EXPECT_FALSE(Chosen({kBest, kMilli}, With(kTimers)).may_take_timers);
  EXPECT_FALSE(Chosen({kPerfEvents, kMilli}, With(kNothing)).may_take_timers);
  CpuFacilities blind = With(kNothing);
  blind.counts_switches = false;
  EXPECT_FALSE(Chosen({kBest, kMilli}, blind).may_take_timers);
  EXPECT_FALSE(Chosen({kBest, kMilli, KernelFrames::kYes}, With(kNothing)).may_take_timers);
}

TEST(CpuChoiceTextTest, SaysWhichTriggerWasRefusedAndWhatThatMeans) {
  EXPECT_THAT(Chosen({kBest, kMilli}, With(kPerf)).text,
              AllOf(HasSubstr("thread timers (kernel tick 4 ms; not perf_events: no perf today"),
                    HasSubstr("at most a sample per tick")));
  EXPECT_THAT(Chosen({kPerfEvents, 10 * kMilli}, With(kPerf)).text,
              AllOf(HasSubstr("no perf today"), Not(HasSubstr("at most"))));
}

TEST(CpuChoiceTextTest, SaysIfTheKernelAllowsFewerSamplesThanWereRequested) {
  CpuFacilities slow = With(kNothing);
  slow.perf_samples_per_second = 250;
  EXPECT_THAT(Chosen({kBest, kMilli}, slow).text,
              HasSubstr("at most 250 samples a second of a thread"));
  EXPECT_THAT(Chosen({kPerfEvents, 4 * kMilli}, slow).text, Not(HasSubstr("at most")));
  EXPECT_THAT(Chosen({kThreadTimers, kMilli}, slow).text, Not(HasSubstr("250")));
}

// Returns facilities of a process in which another library uses SIGPROF.
CpuFacilities WithAnotherSignal(Refused refused) {
  CpuFacilities facilities = With(refused);
  facilities.signal = {SIGSTKFLT, "SIGPROF is handled already, by /lib/other.so"};
  return facilities;
}

TEST(CpuChoiceSignalTest, NamesAnotherSignalAndTheReasonForIt) {
  const CpuChoice choice = Chosen({kBest, 10 * kMilli}, WithAnotherSignal(kNothing));
  EXPECT_EQ(choice.signal, SIGSTKFLT);
  EXPECT_EQ(choice.text,
            "thread timers, by SIGSTKFLT (kernel tick 4 ms; SIGPROF is handled already, by "
            "/lib/other.so)");
  EXPECT_EQ(Chosen({kBest, 10 * kMilli}, With(kNothing)).signal, SIGPROF);
}

TEST(CpuChoiceSignalTest, RefusesTheProcessTimerWithoutSigprof) {
  const CpuChoice other = Chosen({kProcessTimer, 10 * kMilli}, WithAnotherSignal(kNothing));
  EXPECT_EQ(other.trigger, kThreadTimers);
  EXPECT_THAT(other.text, HasSubstr("not the process timer: the kernel sends SIGPROF for it"));
  for (const CpuTrigger asked : {kBest, kProcessTimer}) {
    const Result<CpuChoice> none = ChooseCpuTrigger({asked, 10 * kMilli}, WithAnotherSignal(kBoth));
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(
        none.error().message(),
        AllOf(HasSubstr("SIGPROF is handled already, by /lib/other.so"),
              HasSubstr("not thread timers: no timers today"),
              HasSubstr("not perf_events: no perf today"), HasSubstr("not the process timer")));
  }
}

CpuChoice WithKernelFrames(CpuTrigger trigger, const CpuFacilities& facilities) {
  return Chosen({trigger, 10 * kMilli, KernelFrames::kYes}, facilities);
}

TEST(CpuChoiceKernelFramesTest, RequirePerfEvents) {
  const CpuChoice choice = WithKernelFrames(kBest, With(kNothing));
  EXPECT_EQ(choice.trigger, kPerfEvents);
  EXPECT_EQ(choice.kernel_frames, KernelFrames::kYes);
  EXPECT_EQ(choice.text, "perf_events (kernel tick 4 ms; with kernel frames)");
}

TEST(CpuChoiceKernelFramesTest, SaysWhyThereAreNone) {
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

TEST(CpuFacilitiesTest, ReadsTheFacilitiesOfThisMachine) {
  const CpuFacilities facilities = ReadCpuFacilities({kBest, kMilli, KernelFrames::kYes}).value();
  EXPECT_GE(facilities.tick_ns, kMilli / 2);
  EXPECT_LE(facilities.tick_ns, 10 * kMilli);
  EXPECT_EQ(facilities.tick_ns, KernelTickNanos());
  EXPECT_TRUE(facilities.thread_timers.ok());
}

TEST(CpuFacilitiesTest, OpensNoPerfEventIfTimersSuffice) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const CpuFacilities timers = ReadCpuFacilities({kBest, 10 * kMilli}).value();
  const CpuFacilities perf = ReadCpuFacilities({kPerfEvents, 10 * kMilli}).value();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(timers.perf_events.ok());
  EXPECT_FALSE(perf.perf_events.ok()) << "there is no descriptor for it";
}

}  // namespace
}  // namespace jprof
