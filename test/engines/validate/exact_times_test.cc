// ExactTimes with threads of the test as the threads of the program.
#include "engines/validate/exact_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Nanos kMillis = 1'000'000;

TracedMethod MethodOf(const std::string& name) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = "app/Work";
  return {.declaring = declaring, .name = name, .descriptor = "()V"};
}

class ExactTimesTest : public ::testing::Test {
 protected:
  ExactTimesTest() { times_.Begin(true); }
  ~ExactTimesTest() override { times_.EndWindow(); }

  uint32_t Add(const std::string& name) {
    const uint32_t number = times_.NumberOf(MethodOf(name)).value();
    times_.SetProbed(number);
    return number;
  }

  // Uses so much CPU time.
  static void Burn(Nanos cpu_ns) {
    const Nanos end_ns = ThreadCpuNanos() + cpu_ns;
    while (ThreadCpuNanos() < end_ns) {
    }
  }

  ExactTimes::Row RowOf(const std::string& method) const {
    for (const ExactTimes::Row& row : times_.Rows()) {
      if (row.method == method) return row;
    }
    ADD_FAILURE() << method;
    return {};
  }

  void ExpectCpu(const std::string& method, Nanos least_ns, Nanos most_ns) const {
    const ThreadClocks time = RowOf(method).sum.time;
    EXPECT_GE(time.cpu_ns, least_ns) << method;
    EXPECT_LE(time.cpu_ns, most_ns) << method;
    EXPECT_GE(time.elapsed_ns, least_ns) << method;
  }

  ExactTimes& times_ = ExactTimes::OfProcess();
};

TEST_F(ExactTimesTest, NothingIsReportedBeforeTheWindow) {
  const uint32_t number = Add("run");
  times_.Leave(number, times_.Enter(number));
  EXPECT_THAT(times_.Rows(), IsEmpty());
  times_.BeginWindow();
  EXPECT_THAT(times_.Rows(), SizeIs(2));
  EXPECT_EQ(RowOf("app.Work.run()V").sum.calls, 0u);
}

TEST_F(ExactTimesTest, CallsCountWithTheirPartInTheWindow) {
  const uint32_t early = Add("early");
  const uint32_t late = Add("late");
  const int64_t open = times_.Enter(early);
  Burn(20 * kMillis);
  const Nanos begin_ns = ThreadCpuNanos();
  times_.BeginWindow();
  Burn(3 * kMillis);
  times_.Leave(early, open);
  const Nanos middle_ns = ThreadCpuNanos();
  const int64_t unended = times_.Enter(late);
  Burn(2 * kMillis);
  times_.EndWindow();
  const Nanos end_ns = ThreadCpuNanos();
  Burn(20 * kMillis);
  times_.Leave(late, unended);
  ExpectCpu("app.Work.early()V", 3 * kMillis, middle_ns - begin_ns);
  ExpectCpu("app.Work.late()V", 2 * kMillis, end_ns - middle_ns);
  ExpectCpu("", 5 * kMillis, end_ns - begin_ns);
}

TEST_F(ExactTimesTest, TheCallOfAnotherThreadCountsUpToNow) {
  const uint32_t number = Add("run");
  times_.BeginWindow();
  std::thread other([&] {
    const int64_t token = times_.Enter(number);
    Burn(3 * kMillis);
    ExpectCpu("app.Work.run()V", 3 * kMillis, ThreadCpuNanos());
    times_.Leave(number, token);
  });
  other.join();
  EXPECT_EQ(RowOf("app.Work.run()V").sum.calls, 1u);
  EXPECT_GE(RowOf("app.Work.run()V").sum.time.cpu_ns, 3 * kMillis);
}

TEST_F(ExactTimesTest, TimesOfEndedThreadsStay) {
  const uint32_t number = Add("run");
  times_.BeginWindow();
  for (int i = 0; i < 20; ++i) {
    std::thread([&] { times_.Leave(number, times_.Enter(number)); }).join();
  }
  EXPECT_EQ(RowOf("app.Work.run()V").sum.calls, 20u);
}

TEST_F(ExactTimesTest, AMethodThatIsLeftOutCountsUpToThen) {
  const uint32_t number = Add("run");
  times_.BeginWindow();
  const int64_t open = times_.Enter(number);
  Burn(2 * kMillis);
  times_.LeaveOut(number, LeftOut::kTooShort);
  const Nanos left_out_ns = RowOf("app.Work.run()V").sum.time.cpu_ns;
  EXPECT_GE(left_out_ns, 2 * kMillis);
  Burn(2 * kMillis);
  times_.Leave(number, open);
  EXPECT_EQ(times_.Enter(number), ExactTimes::kNoToken);
  EXPECT_EQ(RowOf("app.Work.run()V").sum.time.cpu_ns, left_out_ns);
  EXPECT_EQ(RowOf("").sum.time.cpu_ns, left_out_ns);
  EXPECT_EQ(RowOf("app.Work.run()V").left_out, LeftOut::kTooShort);
  EXPECT_LE(RowOf("app.Work.run()V").until_ns, MonotonicNanos());
}

TEST_F(ExactTimesTest, ManyShortCallsAreReported) {
  const uint32_t brief = Add("brief");
  const uint32_t lasting = Add("lasting");
  times_.BeginWindow();
  int reports = 0;
  const int64_t open = times_.Enter(lasting);
  for (int i = 0; i < 100'000; ++i) reports += times_.Leave(brief, times_.Enter(brief)) ? 1 : 0;
  EXPECT_EQ(reports, 1);
  EXPECT_FALSE(times_.Leave(lasting, open));
}

TEST_F(ExactTimesTest, TokensOfAnEarlierRecordingEndNothing) {
  const uint32_t number = Add("run");
  times_.BeginWindow();
  const int64_t old = times_.Enter(number);
  times_.EndWindow();
  times_.Begin(true);
  const uint32_t next = Add("run");
  EXPECT_NE(next, number);
  times_.BeginWindow();
  const int64_t open = times_.Enter(next);
  Burn(kMillis);
  times_.Leave(number, old);
  Burn(kMillis);
  EXPECT_GE(RowOf("app.Work.run()V").sum.time.cpu_ns, 2 * kMillis);
  times_.Leave(next, open);
}

TEST_F(ExactTimesTest, AMethodKeepsItsNumberAndThereIsAMostOfThem) {
  const uint32_t number = Add("run");
  EXPECT_EQ(times_.NumberOf(MethodOf("run")), number);
  EXPECT_EQ(times_.Find("app/Work.run()V"), number);
  EXPECT_EQ(times_.Find("app/Work.other()V"), std::nullopt);
  for (uint32_t i = 1; i < ExactTimes::kMost; ++i) Add("m" + std::to_string(i));
  EXPECT_EQ(times_.NumberOf(MethodOf("more")), std::nullopt);
}

}  // namespace
}  // namespace jprof
