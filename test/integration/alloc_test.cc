// Sampled allocations (engines/alloc) against the bytes that the program knows, by the JVM's own
// count.
#include <cmath>
#include <iostream>
#include <map>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kAllocated[] = "profiler.AllocatedObject";
constexpr char kSample[] = "jdk.ObjectAllocationSample";
constexpr char kCalibration[] = "profiler.AllocationCalibration";

// An estimate in bytes, with the sum of its events' squared errors.
struct Estimate {
  double bytes = 0;
  double variance = 0;
  int64_t samples = 0;

  void Add(const Event& event) {
    const auto error = static_cast<double>(event.Number("standardError"));
    bytes += static_cast<double>(event.Number("weight"));
    variance += error * error;
    ++samples;
  }
  double error() const { return std::sqrt(variance); }
};

// The bytes before any scaling (JEP 331's rule).
double Unscaled(const Event& event, double interval) {
  const auto size = static_cast<double>(event.Number("objectSize"));
  return size / -std::expm1(-size / interval);
}

// By the method that allocates, which is a site of AllocationTruth.
std::map<std::string, Estimate> BySite(const Recording& recording) {
  std::map<std::string, Estimate> sites;
  const std::string program = "AllocationTruth.";
  for (const Event& event : recording.OfType(kAllocated)) {
    if (event.frames.empty() || event.frames.front().method.rfind(program, 0) != 0) continue;
    sites[event.frames.front().method.substr(program.size())].Add(event);
  }
  return sites;
}

class AllocTest : public JvmTest {
 protected:
  // Runs AllocationTruth, and compares each site and each class with the truth.
  Recording ExpectTrueSums(const std::string& name, const std::string& options, double interval,
                           const std::vector<std::string>& program) const {
    const ProcessResult run = RunProfiled("start," + options + ",file=" + Path("out.jfr"), program);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    std::map<std::string, double> unscaled;
    for (const Event& event : recording.OfType(kAllocated)) {
      if (event.frames.empty()) continue;
      unscaled[event.frames.front().method] += Unscaled(event, interval);
    }
    const auto truths = ProgramOutput(run.out).NumbersOf("site.");
    EXPECT_GE(truths.size(), 5u) << run.Describe();
    auto sites = BySite(recording);
    Estimate small = sites["small"];
    small.bytes += sites["smallElsewhere"].bytes;
    small.variance += sites["smallElsewhere"].variance;
    for (const auto& [site, truth] : truths)
      Expect(name + ' ' + site, sites[site], truth, unscaled["AllocationTruth." + site]);
    Expect(name + " class Small", small, truths.at("small") + truths.at("smallElsewhere"),
           unscaled["AllocationTruth.small"] + unscaled["AllocationTruth.smallElsewhere"]);
    return recording;
  }

  // Within a hundredth and four standard errors.
  void Expect(const std::string& what, const Estimate& estimate, double truth,
              double unscaled) const {
    std::cout << jdk() << ' ' << what << ": " << estimate.bytes / truth << " ± "
              << estimate.error() / truth << ", unscaled " << unscaled / truth << ", "
              << estimate.samples << " samples, truth " << truth << '\n';
    EXPECT_NEAR(estimate.bytes, truth, truth / 100 + 4 * estimate.error()) << what;
  }
};
// The JVM's event came with JDK 11.
JPROF_ON_JDKS_FROM(11, AllocTest);

TEST_P(AllocTest, BytesOfSitesAndClassesOf16BytesTo16MegabytesAreTheProgramsOnLongThreads) {
  const Recording recording = ExpectTrueSums("long", "cpu=5ms,alloc=256k", 256 << 10,
                                             {"AllocationTruth", "long", "4", "1024"});
  EXPECT_GT(recording.Count("jdk.ExecutionSample"), 0);
}

TEST_P(AllocTest, BytesOfSitesAndClassesAreTheProgramsOnShortThreads) {
  ExpectTrueSums("short", "alloc=512k", 512 << 10, {"AllocationTruth", "short", "2000", "256"});
}

// From JDK 24 on the VM tells in callbacks too which virtual thread a carrier runs (JEP 491).
class AllocInVirtualThreadsTest : public AllocTest {};
JPROF_ON_JDKS_FROM(24, AllocInVirtualThreadsTest);

TEST_P(AllocInVirtualThreadsTest, BytesOfSitesAndClassesAreTheProgramsOnVirtualThreads) {
  ExpectTrueSums("virtual", "alloc=128k", 128 << 10, {"AllocationTruth", "virtual", "2000", "256"});
}

}  // namespace
}  // namespace jprof::test
