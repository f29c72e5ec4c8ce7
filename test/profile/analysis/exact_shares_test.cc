// Shares of samples are compared with exact shares, in recordings whose content the test knows.
#include "profile/analysis/exact_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "formats/small_recording.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using test::FramesOf;
using test::kMillis;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1000 * kMillis;
constexpr double kTiny = 1e-9;
const test::MadeThread kMain = {1, "main"};

class Sink : public profile::SampleSink {
 public:
  bool WantsEvents(const profile::RecordedType& type) override {
    return ExactShares::IsOfTimes(type);
  }
  void OnSample(const profile::Sample& sample) override { shares.OnSample(sample); }
  void OnEvent(const profile::ProfileEvent& event) override { shares.OnEvent(event); }

  ExactShares shares;
};

// A recording with samples of CPU time every 10 ms, and of elapsed time every 20 ms.
class MadeShares {
 public:
  MadeShares() { recording.Begin(); }

  // `method`: "A.run", or "" for all methods together.
  void Exact(const std::string& method, int64_t nanos, int64_t until_ns = 3600 * kSecond,
             const std::string& left_out = {}) {
    const std::string text = method.empty() ? "" : method + "()V";
    recording.Add(ExactTime{.time_ns = 0,
                            .duration_ns = until_ns,
                            .method = text,
                            .calls = 1,
                            .cpu_ns = nanos,
                            .elapsed_ns = nanos,
                            .left_out = left_out});
  }
  void Cpu(int count, const std::vector<std::string>& outermost_first) {
    recording.Cpu(count, kMain, FramesOf(outermost_first, FrameType::kJitCompiled));
  }
  void Wall(int thread, uint32_t samples, const std::string& frame) {
    recording.Wall(samples, {thread, "thread-" + std::to_string(thread)}, ThreadState::kParked,
                   FramesOf({frame}, FrameType::kJitCompiled));
  }

  std::vector<ComparedShare> Rows(const std::string& kind = "cpu") {
    EXPECT_TRUE(recording.Seal());
    Sink sink;
    profile::Profile profile;
    EXPECT_TRUE(profile::ReadSamples(path, profile::LineNumbers::kDrop, profile, sink).ok());
    for (uint32_t i = 0; i < profile.kinds.size(); ++i) {
      if (profile.kinds[i].name == kind) return sink.shares.Compare(profile, i);
    }
    ADD_FAILURE() << "no samples of " << kind;
    return {};
  }

  test::TempFolder folder;
  const std::string path = folder.File("in.jfr");
  test::SmallRecording recording{path};
};

const ComparedShare& RowOf(const std::vector<ComparedShare>& rows, const std::string& method) {
  for (const ComparedShare& row : rows) {
    if (row.method == (method.empty() ? "" : method + "()V")) return row;
  }
  ADD_FAILURE() << method;
  static const ComparedShare none;
  return none;
}

TEST(ExactSharesTest, EqualSharesDoNotDeviate) {
  MadeShares made;
  made.Cpu(700, {"A.run", "Other.leaf"});
  made.Cpu(300, {"B.run"});
  made.Exact("", 10 * kSecond);
  made.Exact("B.run", 3 * kSecond);
  made.Exact("A.run", 7 * kSecond);
  made.Exact("NeverCalled.run", 0);
  const auto rows = made.Rows();
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0].method, "");
  EXPECT_EQ(rows[1].method, "A.run()V");
  EXPECT_NEAR(rows[0].sampled_share, 1, kTiny);
  EXPECT_NEAR(rows[1].exact_share, 0.7, kTiny);
  EXPECT_NEAR(rows[1].sampled_share, 0.7, kTiny);
  EXPECT_NEAR(rows[1].error, std::sqrt(0.7 * 0.3 / 1000), kTiny);
  EXPECT_EQ(rows[1].samples, 700);
  for (const ComparedShare& row : rows) {
    EXPECT_NEAR(row.deviation, 0, 1e-6) << row.method;
    EXPECT_EQ(row.off.low, 0) << row.method;
    EXPECT_GT(row.off.high, 0) << row.method;
  }
}

TEST(ExactSharesTest, SamplesThatLackAFrameDeviate) {
  MadeShares made;
  made.Cpu(700, {"Main.run", "A.run"});
  made.Cpu(200, {"Main.run", "B.run"});
  made.Cpu(100, {"Main.run"});  // B.run is missing
  made.Exact("", 10 * kSecond);
  made.Exact("Main.run", 10 * kSecond);
  made.Exact("A.run", 7 * kSecond);
  made.Exact("B.run", 3 * kSecond);
  const auto rows = made.Rows();
  EXPECT_NEAR(RowOf(rows, "B.run").deviation, -0.1 / std::sqrt(0.3 * 0.7 / 1000), 1e-6);
  EXPECT_GT(RowOf(rows, "B.run").off.low, 0.03);
  EXPECT_LT(RowOf(rows, "B.run").off.low, 0.1);
  EXPECT_EQ(RowOf(rows, "A.run").off.low, 0);
  EXPECT_EQ(RowOf(rows, "Main.run").off.low, 0);
}

TEST(ExactSharesTest, MissingSamplesDeviateFromTheTime) {
  MadeShares made;
  made.Cpu(800, {"A.run"});
  made.Cpu(200, {"Lost.stack"});
  made.Exact("", 10 * kSecond);
  made.Exact("A.run", 10 * kSecond);
  const auto rows = made.Rows();
  EXPECT_NEAR(rows[0].sampled_share, 0.8, kTiny);
  EXPECT_GT(rows[0].off.low, 0.1);
  EXPECT_EQ(RowOf(rows, "A.run").off.low, 0);
}

TEST(ExactSharesTest, RecursionCountsOnce) {
  MadeShares made;
  made.Cpu(100, {"A.run", "B.run", "A.run"});
  made.Cpu(100, {"B.run"});
  made.Exact("", 2 * kSecond);
  made.Exact("A.run", 1 * kSecond);
  made.Exact("B.run", 2 * kSecond);
  const auto rows = made.Rows();
  EXPECT_EQ(RowOf(rows, "A.run").samples, 100);
  EXPECT_EQ(RowOf(rows, "B.run").samples, 200);
}

// The time of the probe may be within what the probes measure or not.
TEST(ExactSharesTest, SamplesInTheProbesOfAMethodMayCountOrNot) {
  const std::string probe = "java.jprof.TimeProbes.entry";
  for (const double exact : {0.3, 0.4, 0.5}) {
    MadeShares made;
    made.Cpu(500, {"Main.run"});
    made.Cpu(300, {"Main.run", "A.run"});
    made.Cpu(200, {"Main.run", "A.run", probe, "java.jprof.TimeProbes.enter", "clock.gettime"});
    made.Exact("", 10 * kSecond);
    made.Exact("Main.run", 10 * kSecond);
    made.Exact("A.run", static_cast<int64_t>(exact * 10 * kSecond));
    const auto rows = made.Rows();
    EXPECT_EQ(RowOf(rows, "A.run").in_probes, 200);
    EXPECT_NEAR(RowOf(rows, "A.run").deviation, 0, 1e-6);
    EXPECT_EQ(RowOf(rows, "A.run").off.low, 0);
    EXPECT_EQ(RowOf(rows, "Main.run").in_probes, 0);
  }
  // The probes of an inner call of the method are in its time.
  MadeShares made;
  made.Cpu(300, {"A.run"});
  made.Cpu(200, {"A.run", "A.run", probe});
  made.Exact("", 5 * kSecond);
  made.Exact("A.run", 5 * kSecond);
  EXPECT_EQ(RowOf(made.Rows(), "A.run").in_probes, 0);
}

TEST(ExactSharesTest, SamplesOfVirtualThreadsDoNotCount) {
  MadeShares made;
  made.Cpu(100, {"A.run"});
  made.Cpu(400, {"jdk.internal.vm.Continuation.enter", "java.lang.VirtualThread.run", "A.run"});
  made.recording.VirtualCpu(77, FramesOf({"A.run"}, FrameType::kJitCompiled));
  made.Exact("", 1 * kSecond);
  made.Exact("A.run", 1 * kSecond);
  const auto rows = made.Rows();
  EXPECT_EQ(RowOf(rows, "A.run").samples, 100);
  EXPECT_NEAR(RowOf(rows, "").sampled_share, 1, kTiny);
}

TEST(ExactSharesTest, OnlySamplesOfTheMeasuredTimeCount) {
  MadeShares made;
  made.Cpu(100, {"A.run"});  // until 1 s
  made.Cpu(100, {"B.run"});  // until 2 s
  made.Cpu(100, {"A.run"});  // until 3 s
  made.Cpu(100, {"B.run"});
  made.Exact("", 3 * kSecond, 3 * kSecond + kMillis);
  made.Exact("A.run", 1 * kSecond, 2 * kSecond, "its calls are too short");
  made.Exact("B.run", 1 * kSecond, 3 * kSecond + kMillis);
  const auto rows = made.Rows();
  EXPECT_EQ(RowOf(rows, "A.run").samples, 100);
  EXPECT_EQ(RowOf(rows, "B.run").samples, 100);
  // From 2 s on, no method that is still measured is on the stacks of the samples of A.
  EXPECT_EQ(RowOf(rows, "").samples, 200);
  EXPECT_EQ(RowOf(rows, "A.run").exact.left_out, "its calls are too short");
}

TEST(ExactSharesTest, SamplesOfOneMomentCountAsOne) {
  MadeShares made;
  for (int i = 0; i < 100; ++i) {
    for (int repeated = 0; repeated < 4; ++repeated) {
      made.Cpu(1, {i % 2 == 0 ? "A.run" : "B.run"});
      if (repeated != 3) made.recording.Wait(-10 * kMillis);
    }
  }
  made.Exact("", 4 * kSecond);
  made.Exact("A.run", 2 * kSecond);
  made.Exact("B.run", 2 * kSecond);
  const auto rows = made.Rows();
  EXPECT_EQ(RowOf(rows, "A.run").samples, 200);
  EXPECT_NEAR(RowOf(rows, "A.run").error, std::sqrt(0.25 / 100), kTiny);
}

TEST(ExactSharesTest, ThreadsInStepAreSampledTogether) {
  constexpr int kThreads = 10;
  constexpr int kTicks = 400;
  for (const bool are_in_step : {true, false}) {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): all runs are equal
    MadeShares made;
    int in_a = 0;
    for (int tick = 0; tick < kTicks; ++tick) {
      made.recording.Wait(20 * kMillis);
      bool is_a = random() % 2 == 0;
      for (int thread = 1; thread <= kThreads; ++thread) {
        if (!are_in_step) is_a = random() % 2 == 0;
        made.Wall(thread, 1, is_a ? "A.run" : "B.run");
        in_a += is_a ? 1 : 0;
        made.recording.Wait(100'000);  // threads answer one after another
      }
      made.recording.Wait(-kThreads * 100'000);
    }
    made.Exact("", kThreads * kTicks * 20 * kMillis);
    made.Exact("A.run", in_a * 20 * kMillis);
    made.Exact("B.run", (kThreads * kTicks - in_a) * 20 * kMillis);
    const ComparedShare row = RowOf(made.Rows("wall"), "A.run");
    const double alone = std::sqrt(0.25 / kTicks);
    EXPECT_NEAR(row.error / (are_in_step ? alone : alone / std::sqrt(kThreads)), 1, 0.05);
    EXPECT_NEAR(row.deviation, 0, 1e-6);
  }
}

TEST(ExactSharesTest, ASampleOfASleepingThreadCountsAtEachTick) {
  MadeShares made;
  for (int tick = 0; tick < 100; ++tick) {
    made.recording.Wait(20 * kMillis);
    made.Wall(1, 1, tick < 50 ? "A.run" : "B.run");
  }
  made.Wall(2, 100, "B.run");
  made.Exact("", 4 * kSecond);
  made.Exact("A.run", 1 * kSecond);
  made.Exact("B.run", 3 * kSecond);
  const auto rows = made.Rows("wall");
  EXPECT_EQ(RowOf(rows, "B.run").samples, 150);
  EXPECT_NEAR(RowOf(rows, "B.run").error, std::sqrt(0.25 * 0.75 / 200), kTiny);
  EXPECT_EQ(RowOf(rows, "B.run").off.low, 0);
}

TEST(ExactSharesTest, ARecordingWithoutTimesHasNoRows) {
  MadeShares made;
  made.Cpu(10, {"A.run"});
  EXPECT_THAT(made.Rows(), IsEmpty());
}

// Independent samples: the deviations are those of a normal distribution.
TEST(ExactSharesTest, RightSamplesDeviateAsOftenAsExpected) {
  constexpr int kRuns = 400;
  constexpr int kSamples = 500;
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): all runs are equal
  int beyond_one = 0;
  int beyond_two = 0;
  for (int run = 0; run < kRuns; ++run) {
    MadeShares made;
    for (int i = 0; i < kSamples; ++i) made.Cpu(1, {random() % 10 < 3 ? "A.run" : "B.run"});
    made.Exact("", kSamples * 10 * kMillis);
    made.Exact("A.run", kSamples * 3 * kMillis);
    made.Exact("B.run", kSamples * 7 * kMillis);
    const auto rows = made.Rows();
    const double deviation = std::fabs(RowOf(rows, "A.run").deviation);
    beyond_one += deviation > 1 ? 1 : 0;
    beyond_two += deviation > 2 ? 1 : 0;
    EXPECT_EQ(RowOf(rows, "A.run").off.low, 0);
  }
  EXPECT_NEAR(beyond_one, 0.317 * kRuns, 40);
  EXPECT_NEAR(beyond_two, 0.0455 * kRuns, 18);
}

}  // namespace
}  // namespace jprof
