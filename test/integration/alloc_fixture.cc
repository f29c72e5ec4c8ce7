#include "integration/alloc_fixture.h"

#include <cmath>
#include <iostream>

namespace jprof::test {

void AllocationEstimate::Add(const Event& event, double interval) {
  const auto size = static_cast<double>(event.Number("objectSize"));
  const auto error = static_cast<double>(event.Number("standardError"));
  bytes += static_cast<double>(event.Number("weight"));
  variance += error * error;
  unscaled += size / -std::expm1(-size / interval);
  ++samples;
}

void AllocationEstimate::Add(const AllocationEstimate& other) {
  bytes += other.bytes;
  variance += other.variance;
  unscaled += other.unscaled;
  samples += other.samples;
}

double AllocationEstimate::error() const { return std::sqrt(variance); }

AllocTest::Estimates AllocTest::ByMethod(const Recording& recording, double interval) {
  Estimates estimates;
  for (const Event& event : recording.OfType(kAllocated)) {
    if (event.frames.empty()) continue;
    estimates[event.frames.front().method].Add(event, interval);
  }
  return estimates;
}

AllocTest::Estimates AllocTest::ByClass(const Recording& recording, double interval) {
  Estimates estimates;
  for (const Event& event : recording.OfType(kAllocated)) {
    estimates[event.Text("objectClass")].Add(event, interval);
  }
  return estimates;
}

void AllocTest::ExpectTrue(const std::string& what, const AllocationEstimate& estimate,
                           double truth, double slack) const {
  std::cout << jdk() << ' ' << what << ": " << estimate.bytes / truth << " +/- "
            << estimate.error() / truth << ", unscaled " << estimate.unscaled / truth << ", "
            << estimate.samples << " samples of " << truth << " bytes\n";
  EXPECT_NEAR(estimate.bytes, truth, slack * truth + 4 * estimate.error()) << what;
}

Recording AllocTest::ExpectTrueSums(const std::string& options, double interval,
                                    const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& jvm_arguments) const {
  std::vector<std::string> program = {"AllocationTruth"};
  program.insert(program.end(), arguments.begin(), arguments.end());
  const ProcessResult run =
      RunProfiled("start," + options + ",file=" + Path("out.jfr"), program, jvm_arguments);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  Recording recording = ReadSound("out.jfr");
  Estimates sites = ByMethod(recording, interval);
  const auto truths = ProgramOutput(run.out).NumbersOf("site.");
  EXPECT_GE(truths.size(), 5u) << run.Describe();
  const std::string& kind = arguments.front();
  const double slack = kind == "long" ? SlackOfMixed() : kSlack;
  for (const auto& [site, truth] : truths) {
    ExpectTrue(kind + ' ' + site, sites["AllocationTruth." + site], truth, slack);
  }
  ExpectTrue(kind + " class Small", ByClass(recording, interval)["AllocationTruth$Small"],
             truths.at("small") + truths.at("smallElsewhere"), slack);
  return recording;
}

}  // namespace jprof::test
