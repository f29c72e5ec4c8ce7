// How sure the sums of sampled allocations are, and how true on every JDK with every collector:
// tables for docs/allocations.md. Minutes.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "integration/alloc_fixture.h"

namespace jprof::test {
namespace {

constexpr double kKilo = 1024;

class AllocCoverageTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocCoverageTest);

// Estimates of slices of a program, each independent of the others: their gaps are.
TEST_P(AllocCoverageTest, TheIntervalOf95PercentCovers93To97PercentOfTheEstimates) {
  constexpr int kRuns = 5;
  constexpr int kSlices = 500;
  constexpr double kInterval = 64 * kKilo;
  int estimates = 0;
  int covered = 0;
  double sum_of_squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    const ProcessResult result =
        RunProfiled("start,alloc=64k,file=" + Path("out.jfr"),
                    {"AllocationTruth", "slices", std::to_string(kSlices), "8192"});
    ASSERT_EQ(result.exit_code, 0) << result.Describe();
    std::map<int64_t, AllocationEstimate> slices;
    for (const Event& event : ReadSound("out.jfr").OfType(kAllocated)) {
      if (event.frames.empty() || event.frames.front().method != "AllocationTruth.bytes") continue;
      slices[event.Number("objectSize")].Add(event, kInterval);
    }
    for (const auto& [size, truth] : ProgramOutput(result.out).NumbersOf("slice.")) {
      const AllocationEstimate& slice = slices[std::stoll(size)];
      const double off = (slice.bytes - truth) / slice.error();
      ++estimates;
      covered += std::abs(off) <= 1.96 ? 1 : 0;
      sum_of_squares += off * off;
    }
  }
  std::cout << jdk() << ": " << covered << " of " << estimates << " covered, mean square of the "
            << "deviation in standard errors " << sum_of_squares / estimates << '\n';
  EXPECT_EQ(estimates, kRuns * kSlices);
  EXPECT_GE(covered, estimates * 93 / 100);
  EXPECT_LE(covered, estimates * 97 / 100);
}

struct Shape {
  const char* name;
  std::vector<std::string> program;
  const char* interval;
  double interval_bytes;
  int first_major;
};

class AllocTableTest : public AllocTest {
 protected:
  bool Has(const std::string& collector) const {
    ProcessSpec spec;
    spec.argv = {jdk().Tool("java"), "-XX:+UnlockExperimentalVMOptions",
                 "-XX:+Use" + collector + "GC", "-version"};
    return RunProcess(spec).exit_code == 0;
  }

  // A row: all sites together before calibration, and the farthest of them after.
  void PrintRow(const std::string& collector, const Shape& shape) {
    const ProcessResult run = RunProfiled(
        std::string("start,alloc=") + shape.interval + ",file=" + Path("out.jfr"), shape.program,
        {"-Xmx512m", "-XX:+UnlockExperimentalVMOptions", "-XX:+Use" + collector + "GC"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    Estimates sites = ByMethod(ReadSound("out.jfr"), shape.interval_bytes);
    AllocationEstimate all;
    double bytes = 0;
    double farthest = 0;
    std::string at;
    for (const auto& [site, truth] : ProgramOutput(run.out).NumbersOf("site.")) {
      const AllocationEstimate& estimate = sites["AllocationTruth." + site];
      all.Add(estimate);
      bytes += truth;
      const double off = estimate.bytes / truth - 1;
      const double error = estimate.error() / truth;
      if (jdk().major >= 17) {
        const double slack = shape.program[1] == "long" ? SlackOfMixed() : kSlack;
        EXPECT_LE(std::abs(off), slack + 4 * error) << shape.name << ' ' << site;
      }
      if (std::abs(off) < std::abs(farthest)) continue;
      farthest = off;
      char text[96];
      std::snprintf(text, sizeof text, "%s %+.1f %% (± %.1f %%)", site.c_str(), 100 * off,
                    100 * error);
      at = text;
    }
    char row[256];
    std::snprintf(row, sizeof row, "| %d | %s | %s | %.3f | %.3f ± %.3f | %s |\n", jdk().major,
                  collector.c_str(), shape.name, all.unscaled / bytes, all.bytes / bytes,
                  all.error() / bytes, at.c_str());
    std::cout << row << std::flush;
  }
};
JPROF_ON_JDKS_FROM(11, AllocTableTest);

TEST_P(AllocTableTest, SumsAreTrueWithEveryCollector) {
  const std::vector<Shape> shapes = {{"4 threads of 256 MB, 16 B to 16 MB",
                                      {"AllocationTruth", "long", "4", "256"},
                                      "256k",
                                      256 * kKilo,
                                      11},
                                     {"4 threads of 256 MB, 16 B to 1 KB",
                                      {"AllocationTruth", "short", "4", "262144"},
                                      "256k",
                                      256 * kKilo,
                                      11},
                                     {"2 000 threads of 256 KB",
                                      {"AllocationTruth", "short", "2000", "256"},
                                      "512k",
                                      512 * kKilo,
                                      11},
                                     {"1 000 threads of 1 MB",
                                      {"AllocationTruth", "short", "1000", "1024"},
                                      "512k",
                                      512 * kKilo,
                                      11},
                                     {"2 000 virtual threads of 256 KB",
                                      {"AllocationTruth", "virtual", "2000", "256"},
                                      "512k",
                                      512 * kKilo,
                                      21}};
  for (const std::string collector : {"Serial", "Parallel", "G1", "Z", "Shenandoah"}) {
    if (!Has(collector)) continue;
    for (const Shape& shape : shapes) {
      if (jdk().major >= shape.first_major) PrintRow(collector, shape);
    }
  }
}

class AllocLossTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocLossTest);

// Threads that end one after the other, and many of whose samples find no room, on a machine that
// gives them the processor: half of them on an idle one, and none where the recorder keeps up.
TEST_P(AllocLossTest, WithManySamplesLostTheBytesOfAllAreStillExact) {
  const ProcessResult run = RunProfiled("start,alloc=4k,memlimit=16m,file=" + Path("out.jfr"),
                                        {"AllocationTruth", "short", "40", "16384"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  double bytes = 0;
  double lost = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    const auto weight = static_cast<double>(event.Number("weight"));
    bytes += weight;
    lost += event.Number("objectSize") == 0 ? weight : 0;
  }
  double exact = 0;
  for (const Event& event : recording.OfType(kCalibration)) {
    EXPECT_NE(event.Text("group"), "not read");
    if (event.Text("group") == "total") exact += static_cast<double>(event.Number("exact"));
  }
  std::cout << jdk() << " lost: " << lost / bytes << " of " << bytes / exact << '\n';
  EXPECT_THAT(bytes, IsWithin(0.002, exact));
}

}  // namespace
}  // namespace jprof::test
