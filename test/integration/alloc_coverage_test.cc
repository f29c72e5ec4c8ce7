// The error of sums of sampled allocations, and the sums where samples are lost. Takes minutes.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "integration/alloc_fixture.h"
#include "jfr/reader/jfr_reader.h"

namespace jprof::test {
namespace {

class AllocCoverageTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocCoverageTest);

// Each slice of the program's allocations has its own estimate. The estimates are independent of
// each other because the distances between samples are.
TEST_P(AllocCoverageTest, The95PercentIntervalCovers93To97Percent) {
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

// Sums the bytes of a recording. It is a visitor because a recording has some hundred thousand
// events.
class AllocatedBytesOfAll : public profile::JfrVisitor {
 public:
  double weight = 0;
  double lost = 0;
  double exact = 0;
  bool is_all_read = true;

 private:
  bool Wants(const profile::RecordedType& type) override {
    return type.name == kAllocated || type.name == kCalibration;
  }

  void OnEvent(const profile::JfrEvent& event) override {
    if (event.type().name == kAllocated) {
      const auto bytes = static_cast<double>(event.Field("weight").Long());
      weight += bytes;
      lost += event.Field("objectSize").Long() == 0 ? bytes : 0;
      return;
    }
    const std::string group = event.Field("group").String();
    if (group == "total") exact += static_cast<double>(event.Field("exact").Long());
    is_all_read = is_all_read && group != "not read";
  }
};

class AllocLossTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocLossTest);

// The threads end one after another, and samples are lost when the memory limit is reached. The
// number of lost samples depends on how the machine shares its processors among these threads and
// the recorder: half of them on an idle machine, none if the recorder keeps up.
TEST_P(AllocLossTest, TotalBytesStayExactDespiteLostSamples) {
  const ProcessResult run = RunProfiled("start,alloc=4k,memlimit=16m,file=" + Path("out.jfr"),
                                        {"AllocationTruth", "short", "40", "16384"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  AllocatedBytesOfAll sums;
  const auto report = profile::ReadJfr(Path("out.jfr"), sums);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_TRUE(report.value().complete()) << report.value().missing;
  std::cout << jdk() << " lost: " << sums.lost / sums.weight << " of " << sums.weight / sums.exact
            << '\n';
  EXPECT_TRUE(sums.is_all_read);
  EXPECT_THAT(sums.weight, IsWithin(0.002, sums.exact));
}

}  // namespace
}  // namespace jprof::test
