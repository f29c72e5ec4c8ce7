#include "integration/alloc_fixture.h"

#include <cmath>
#include <iostream>

#include "support/jvm/poisson.h"

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

void AllocTest::ExpectTrueShare(const std::string& what, const AllocationEstimate& estimate,
                                double truth, const ShortThreads& threads) const {
  const double draws =
      threads.bytes * threads.bytes / threads.estimate.variance * truth / threads.bytes;
  const CountRange likely = LikelyCounts(draws);
  std::cout << jdk() << ' ' << what << ": " << estimate.bytes / truth << " by " << estimate.samples
            << " samples of " << truth << " bytes, of " << draws << " draws " << likely.least
            << " to " << likely.most << '\n';
  // Before JDK 25 HotSpot samples the next small object in place of one that does not fit into the
  // rest of a TLAB (JDK-8356372), and the TLABs of short threads are small: the estimate of Tiny is
  // 1.8 times the truth on JDK 17.
  const double most_slack = jdk().major >= 25 ? kSlack : 1;
  EXPECT_GE(estimate.bytes, truth * (likely.least / draws - SlackOfMixed())) << what;
  EXPECT_LE(estimate.bytes, truth * (likely.most / draws + most_slack)) << what;
}

void AllocTest::ExpectSumIsTheCount(const Recording& recording) {
  int64_t count = 0;
  for (const Event& event : recording.OfType(kCalibration)) {
    if (event.Text("group") == "total") count += event.Number("exact");
    if (event.Text("group") == "probes of jprof") count -= event.Number("exact");
  }
  constexpr double kRounding = 8;
  EXPECT_NEAR(static_cast<double>(recording.Sum(kAllocated, "weight")), static_cast<double>(count),
              kRounding);
}

double AllocTest::BytesOfMarker(const Recording& recording, const std::string& marker) {
  double bytes = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    if (event.HasFrame("jprof." + marker)) bytes += static_cast<double>(event.Number("weight"));
  }
  return bytes;
}

Recording AllocTest::ExpectTrueSumsOfParks(const std::string& options, double interval,
                                           const std::vector<std::string>& arguments,
                                           const std::vector<std::string>& jvm_arguments) const {
  std::vector<std::string> program = {"AllocationParks"};
  program.insert(program.end(), arguments.begin(), arguments.end());
  const ProcessResult run =
      RunProfiled("start," + options + ",file=" + Path("out.jfr"), program, jvm_arguments);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  Recording recording = ReadSound("out.jfr");
  Estimates sites = ByMethod(recording, interval);
  const auto truths = ProgramOutput(run.out).NumbersOf("site.");
  EXPECT_EQ(truths.size(), 2u) << run.Describe();
  for (const auto& [site, truth] : truths) {
    ExpectTrue("parks " + site, sites["AllocationTruth." + site], truth);
  }
  ExpectSumIsTheCount(recording);
  return recording;
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
  const double of_class = truths.at("small") + truths.at("smallElsewhere");
  const AllocationEstimate by_class = ByClass(recording, interval)["AllocationTruth$Small"];
  if (kind == "waves") {
    ShortThreads threads;
    for (const auto& [site, truth] : truths) {
      threads.bytes += truth;
      threads.estimate.Add(sites["AllocationTruth." + site]);
    }
    for (const auto& [site, truth] : truths) {
      ExpectTrueShare(kind + ' ' + site, sites["AllocationTruth." + site], truth, threads);
    }
    ExpectTrueShare(kind + " class Small", by_class, of_class, threads);
  } else {
    const double slack = kind == "long" ? SlackOfMixed() : kSlack;
    for (const auto& [site, truth] : truths) {
      ExpectTrue(kind + ' ' + site, sites["AllocationTruth." + site], truth, slack);
    }
    ExpectTrue(kind + " class Small", by_class, of_class, slack);
  }
  ExpectSumIsTheCount(recording);
  return recording;
}

}  // namespace jprof::test
