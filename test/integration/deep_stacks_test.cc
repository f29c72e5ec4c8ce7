// Samples that a thread takes of itself (allocations, waits, slow calls) below many frames are all
// recorded with their whole weight, and cost the program little at any depth.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "integration/alloc_fixture.h"
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::Not;

constexpr char kTrace[] = "jdk.MethodTrace";
constexpr char kNoRoot[] = "jprof.[root not walked]";
constexpr char kNoRootInAnswer[] = "[0-9]+ samples without the root of the stack";
constexpr size_t kLeafFrames = 256;
constexpr size_t kProbeFrames = 4;  // upper bound of the probe's frames, which the stack leaves out
// A recursion of slow calls has an event for the outermost call, the 16 longest ones within it, and
// the innermost call.
constexpr int kMostOfRecursion = 18;
// The rounding of a time in a recording, which stores times in ticks.
constexpr int64_t kRoundingNs = 300;
// The greatest ratio of the CPU times with and without a recording. The ratio is at least 14 if
// each walk goes to the root.
constexpr double kMostRatio = 5;

// Returns how many times longer the test takes in the long tier; 1 in the others.
int DurationFactor() {
  const char* const times = getenv("JPROF_DEEP_TIMES");
  return times == nullptr ? 1 : atoi(times);
}

bool LacksRoot(const Event& event) {
  return !event.frames.empty() && event.frames.back().method == kNoRoot;
}

class DeepStacksTest : public CliTest {
 protected:
  // Runs DeepEvents with a recording and without. The program makes the same stack in both runs.
  Recording RunDeep(const std::string& options, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "DeepEvents");
    const ProcessResult plain = RunProcess(Java(arguments));
    EXPECT_EQ(plain.exit_code, 0) << plain.Describe();
    run_ = RunProfiled("start," + options + ",file=" + Path("out.jfr"), arguments);
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    const double ratio = run_.CpuNanos() / plain.CpuNanos();
    std::cout << jdk() << ' ' << options << ": " << plain.CpuNanos() / 1e6 << " ms, recorded "
              << run_.CpuNanos() / 1e6 << " ms of CPU time\n";
    EXPECT_LT(ratio, kMostRatio);
    return ReadSound("out.jfr");
  }

  ProgramOutput truth() const { return ProgramOutput(run_.out); }

  ProcessResult run_;
};
JPROF_ON_EVERY_JDK(DeepStacksTest);

class DeepAllocTest : public DeepStacksTest {};
JPROF_ON_JDKS_FROM(11, DeepAllocTest);

TEST_P(DeepAllocTest, SumsAreTrueAtTheCostOfLeaves) {
  constexpr double kInterval = 128 * 1024;
  constexpr double kSlack = 0.01;
  // Fewer than kLeafFrames, so that the recording is read faster.
  constexpr size_t kKept = 64, kKeptAtRoot = 16;
  const Recording recording =
      RunDeep("alloc=128k,jstackdepth=64/16",
              {"alloc", "20000", std::to_string(4 * DurationFactor()), "50"});
  AllocationEstimate deep, shallow;
  int64_t whole = 0, cut = 0, cut_of_any_class = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    const std::string type = event.Text("objectClass");
    cut_of_any_class += LacksRoot(event) ? 1 : 0;
    if (type == "DeepEvents$Shallow") {
      shallow.Add(event, kInterval);
      EXPECT_EQ(event.frames.back().method, "java.lang.Thread.run");
    }
    if (type != "DeepEvents$Deep") continue;
    deep.Add(event, kInterval);
    ASSERT_EQ(event.frames.front().method, "DeepEvents.deepObjects");
    ASSERT_GT(event.frames.size(), kKept - kKeptAtRoot);
    ++(LacksRoot(event) ? cut : whole);
  }
  EXPECT_NEAR(deep.bytes, truth().Number("bytes.Deep"),
              kSlack * truth().Number("bytes.Deep") + 4 * deep.error());
  EXPECT_NEAR(shallow.bytes, truth().Number("bytes.Shallow"),
              kSlack * truth().Number("bytes.Shallow") + 4 * shallow.error());
  EXPECT_GT(cut, deep.samples / 2) << whole;
  EXPECT_THAT(run_.err, ContainsRegex(kNoRootInAnswer));
  const ProcessResult losses = Jprof({"view", "losses", "out.jfr"});
  EXPECT_THAT(losses, Printed(std::to_string(cut_of_any_class) +
                              " samples without the root of their stack"));
}

TEST_P(DeepStacksTest, NestedSlowCallsAreAllCountedAndSomeRecordedAtTheCostOfOne) {
  const int depth = 20'000;
  const int turns = DurationFactor();
  constexpr int kMillis = 200;
  const Recording recording =
      RunDeep("trace=DeepEvents.descend:50ms",
              {"calls", std::to_string(depth), std::to_string(turns), std::to_string(kMillis)});
  std::vector<Event> calls = recording.OfType(kTrace);
  EXPECT_LE(calls.size(), static_cast<size_t>(kMostOfRecursion * turns));
  double without_event = 0;
  for (const Event& call : calls) {
    without_event += static_cast<double>(call.Number("nestedCalls"));
  }
  ASSERT_EQ(static_cast<double>(calls.size()) + without_event, truth().Number("calls"));
  char counted[100];
  std::snprintf(counted, sizeof counted,
                "%zu recorded calls and %.0f of the same methods inside them", calls.size(),
                without_event);
  EXPECT_THAT(Jprof({"view", "calls", "out.jfr"}), Printed(counted));
  EXPECT_THAT(run_.err, ContainsRegex("DeepEvents.descend.*: " + std::to_string(depth * turns) +
                                      " calls, 0 ended by an exception"));
  EXPECT_THAT(run_.err, ContainsRegex(kNoRootInAnswer));
  // Sorts the calls so that the innermost call of each recursion is first, because it started last.
  // Some calls start in the same tick.
  const auto end_of = [](const Event& call) {
    return call.Number("startTime") + call.Number("duration");
  };
  std::ranges::sort(calls, {}, [&](const Event& call) {
    return std::pair(-call.Number("startTime"), end_of(call));
  });
  size_t deepest = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Event& call = calls[i];
    EXPECT_GE(call.Number("duration"), kMillis * 1'000'000);
    ASSERT_FALSE(call.frames.empty());
    deepest = std::max(deepest, call.frames.size());
    if (i == 0 || call.Number("startTime") > end_of(calls[i - 1])) continue;
    ASSERT_GE(end_of(call) + kRoundingNs, end_of(calls[i - 1]));
  }
  EXPECT_GE(deepest, kLeafFrames - kProbeFrames);
  // The outermost calls have shallow stacks.
  EXPECT_EQ(calls.back().frames.back().method, "java.lang.Thread.run");
}

TEST_P(DeepStacksTest, WaitsBelowManyFramesAreRecordedInFullAtTheCostOfLeaves) {
  const int turns = 3000 * DurationFactor();
  constexpr int kMicros = 200;
  const Recording recording =
      RunDeep("lock=100us", {"parks", "20000", std::to_string(turns), std::to_string(kMicros)});
  double waited = 0;
  for (const Event& event : recording.OfType("jdk.ThreadPark")) {
    if (event.Text("eventThread.javaName") != "deep") continue;
    waited += static_cast<double>(event.Number("duration"));
    EXPECT_EQ(event.frames.front().method, "java.util.concurrent.locks.LockSupport.parkNanos");
    EXPECT_GE(event.frames.size(), kLeafFrames - kProbeFrames);
  }
  // The program reads the clock before and after the wait, and can lose the processor between.
  EXPECT_LE(waited, truth().Number("waited"));
  EXPECT_GE(waited, 0.99 * turns * kMicros * 1000);
}

TEST_P(DeepStacksTest, StacksOfSomeHundredFramesAreWhole) {
  const Recording recording = RunDeep("lock=100us", {"parks", "500", "40", "5000"});
  EXPECT_THAT(run_.err, Not(ContainsRegex(kNoRootInAnswer)));
  for (const Event& event : recording.OfType("jdk.ThreadPark")) {
    EXPECT_FALSE(LacksRoot(event));
  }
}

}  // namespace
}  // namespace jprof::test
