// Prints the accuracy of recordings as a table, for `scripts/bench truth-table`.
//
// CPU time: the intervals of each thread, compared with the thread's own clock. Elapsed time:
// thread-seconds, compared with what the threads themselves have measured. On a busy machine
// samples are late and stand for several intervals, so that totals stay right but resolution is
// lost.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::microseconds;

double SumOf(const std::map<std::string, double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, const auto& value) { return sum + value.second; });
}

// Returns the sum of those measured values whose names are in `truth`.
double SumOver(const std::map<std::string, double>& truth, std::map<std::string, double> measured) {
  return std::accumulate(truth.begin(), truth.end(), 0.0, [&](double sum, const auto& value) {
    return sum + measured[value.first];
  });
}

// Fixture of a JVM with a generous timeout, on a machine that also does other work.
class TruthTableTest : public JvmTest {
 protected:
  ProcessResult Measure(const std::string& options, const std::vector<std::string>& program,
                        std::vector<std::string> jvm_arguments = {}) const {
    jvm_arguments.push_back(AgentArgument(options));
    ProcessSpec spec = Java(program, jvm_arguments);
    spec.timeout = std::chrono::minutes(10);
    return RunProcess(spec);
  }
};

struct CpuCase {
  int64_t interval_us;
  int threads;
  int millis;  // CPU time of each thread
};

class CpuTruthTableTest : public TruthTableTest {};
JPROF_ON_EVERY_JDK(CpuTruthTableTest);

// Returns the largest error that whole intervals cause. The first interval of a thread ends at
// random, so that the thread's time is off by less than one interval, with a standard deviation of
// at most half an interval.
double LargestCutError(int threads, double interval_ns) {
  return std::min<double>(threads, 4 * 0.5 * std::sqrt(threads)) * interval_ns;
}

TEST_P(CpuTruthTableTest, BusyThreads) {
  constexpr CpuCase kCases[] = {
      {100, 1, 1000},     {100, 4, 500},      {100, 16, 150},     {1000, 1, 2000},
      {1000, 4, 1000},    {1000, 16, 500},    {10'000, 1, 4000},  {10'000, 4, 2000},
      {10'000, 16, 1000}, {100'000, 1, 8000}, {100'000, 4, 6000}, {100'000, 16, 3000},
  };
  std::printf("| JDK | interval | busy threads | CPU s | measured / truth | lost |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const CpuCase& each : kCases) {
    const microseconds interval(each.interval_us);
    const ProcessResult run =
        Measure("start,cpu=" + std::to_string(each.interval_us) + "us,file=" + Path("out.jfr"),
                {"BusyLoop", std::to_string(each.threads), std::to_string(each.millis)});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const auto truth = ProgramOutput(run.out).NumbersOf("cpu.");
    const double nanos = SumOf(truth);
    const double measured =
        SumOver(truth, NanosByThread(ReadSound("out.jfr"), kExecutionSample, interval));
    const auto lost = AgentLog(run.err).LastCount("lost");
    std::printf("| %d | %ld us | %d | %.2f | %.4f | %ld |\n", jdk().major, each.interval_us,
                each.threads, nanos / 1e9, measured / nanos, lost);
    std::fflush(stdout);
    const double cut_error =
        LargestCutError(each.threads, static_cast<double>(each.interval_us) * 1e3);
    EXPECT_NEAR(measured, nanos, 0.01 * nanos + cut_error);
    EXPECT_EQ(lost, 0) << run.err;
  }
}

struct WallCase {
  int64_t interval_us;
  int sleeping;
  int waking;
  int busy;
};

class WallTruthTableTest : public TruthTableTest {};
JPROF_ON_EVERY_JDK(WallTruthTableTest);

TEST_P(WallTruthTableTest, SleepingWakingAndBusyThreads) {
  constexpr WallCase kCases[] = {
      {1000, 10, 0, 0},      {1000, 0, 10, 1},       {1000, 100, 20, 2},   {1000, 2000, 0, 1},
      {10'000, 10, 10, 1},   {10'000, 100, 100, 2},  {10'000, 2000, 0, 1}, {50'000, 10, 10, 1},
      {50'000, 100, 100, 2}, {50'000, 1900, 100, 4},
  };
  constexpr char kMillis[] = "4000";
  std::printf(
      "| JDK | interval | sleeping | waking | busy | thread s | measured / truth | lost |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const WallCase& each : kCases) {
    const ProcessResult run =
        Measure("start,wall=" + std::to_string(each.interval_us) + "us,file=" + Path("out.jfr"),
                {"MixedThreads", std::to_string(each.sleeping), std::to_string(each.waking),
                 std::to_string(each.busy), kMillis},
                {"-Xss256k"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const auto truth = ProgramOutput(run.out).NumbersOf("wall.");
    // A thread exists for a short time before its first statement and after its last one.
    const double least = SumOf(truth);
    const double most = SumOf(ProgramOutput(run.out).NumbersOf("life."));
    const microseconds interval(each.interval_us);
    const double measured =
        SumOver(truth, NanosByThread(ReadSound("out.jfr"), kWallClockSample, interval));
    const auto lost = AgentLog(run.err).LastCount("lost");
    std::printf("| %d | %ld us | %d | %d | %d | %.1f to %.1f | %.1f | %.4f | %ld |\n", jdk().major,
                each.interval_us, each.sleeping, each.waking, each.busy, least / 1e9, most / 1e9,
                measured / 1e9, 2 * measured / (least + most), lost);
    std::fflush(stdout);
    // The intervals of all threads end at the same moments, so that all times can be off by up to
    // one interval in the same direction.
    const double one_each =
        static_cast<double>(each.interval_us) * 1e3 * static_cast<double>(truth.size());
    EXPECT_GE(measured, 0.98 * least - one_each);
    EXPECT_LE(measured, 1.02 * most + one_each);
  }
}

}  // namespace
}  // namespace jprof::test
