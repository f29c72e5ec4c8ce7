// Compares sums of sampled allocations with the truth on every JDK with every collector. Prints the
// rows of a table for docs/allocations.md; scripts/jdk-matrix alloc runs it. Takes minutes.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "integration/alloc_fixture.h"

namespace jprof::test {
namespace {

struct Shape {
  const char* name;
  std::vector<std::string> program;
  const char* interval;
  double interval_bytes;
  int first_major;
};

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {{"4 threads of 256 MB, 16 B to 16 MB",
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
                                             21},
                                            {"20 000 virtual threads that park, 0 deep",
                                             {"AllocationParks", "20000", "0", "2", "500"},
                                             "32k",
                                             32 * kKilo,
                                             21},
                                            {"20 000 virtual threads that park, 60 deep",
                                             {"AllocationParks", "20000", "60", "2", "500"},
                                             "32k",
                                             32 * kKilo,
                                             21},
                                            {"20 000 virtual threads that park, 200 deep",
                                             {"AllocationParks", "20000", "200", "2", "500"},
                                             "32k",
                                             32 * kKilo,
                                             21}};
  return shapes;
}

const Shape& ManyThreads() {
  static const Shape shape = {"100 000 threads of 32 KB",
                              {"AllocationTruth", "short", "100000", "32"},
                              "512k",
                              512 * kKilo,
                              11};
  return shape;
}

// Returns "1.013 → 1.000 ± 0.012": estimate / truth before and after calibration, and its error.
std::string CellText(const AllocationEstimate& estimate, double truth) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f \xE2\x86\x92 %.3f \xC2\xB1 %.3f",
                estimate.unscaled / truth, estimate.bytes / truth, estimate.error() / truth);
  return text;
}

class AllocTableTest : public AllocTest {
 protected:
  std::vector<std::string> Collectors() const {
    std::vector<std::string> collectors = {"Serial", "Parallel", "G1", "Z", "Shenandoah"};
    std::erase_if(collectors, [this](const std::string& collector) { return !Has(collector); });
    return collectors;
  }

  bool Has(const std::string& collector) const {
    ProcessSpec spec;
    spec.argv = {jdk().Tool("java"), "-XX:+UnlockExperimentalVMOptions",
                 "-XX:+Use" + collector + "GC", "-version"};
    return RunProcess(spec).exit_code == 0;
  }

  // Expects that the estimate is true, and returns the text of its cell. `error` is the error that
  // is predicted from the share of the cell: few samples, or none, do not show an error themselves.
  std::string Cell(const std::string& what, const AllocationEstimate& estimate, double truth,
                   double slack, double error = 0) const {
    EXPECT_LE(std::abs(estimate.bytes / truth - 1),
              slack + 4 * std::max(error, estimate.error()) / truth)
        << what;
    return " | " + CellText(estimate, truth);
  }

  // Prints a row: all sites together, the class that two of them allocate, and each site.
  void PrintRow(const std::string& collector, const Shape& shape) const {
    ProcessSpec program = Java(
        shape.program,
        {shape.program[0] == "AllocationParks" ? "-Xmx1g" : "-Xmx512m",
         "-XX:+UnlockExperimentalVMOptions", "-XX:+Use" + collector + "GC",
         AgentArgument(std::string("start,alloc=") + shape.interval + ",file=" + Path("out.jfr"))});
    program.timeout = std::chrono::minutes(30);
    const ProcessResult run = RunProcess(program);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    Estimates sites = ByMethod(recording, shape.interval_bytes);
    auto truths = ProgramOutput(run.out).NumbersOf("site.");
    AllocationEstimate all;
    double bytes = 0;
    for (const auto& [site, truth] : truths) {
      all.Add(sites["AllocationTruth." + site]);
      bytes += truth;
    }
    // Before JDK 25 the JVM's own sampler is biased if objects are in and outside of TLABs. Then
    // only the sum over all sites is true within a hundredth.
    const bool is_mixed = shape.program[1] == "long";
    const double slack = is_mixed ? SlackOfMixed() : kSlack;
    // Predicts the error of a site of small objects from its share of all bytes.
    const auto expected = [&](double truth) {
      return is_mixed ? 0 : std::sqrt(truth / bytes) * all.error();
    };
    const std::string where =
        std::to_string(jdk().major) + " | " + collector + " | " + shape.name + " | ";
    std::string row = "| " + where + std::to_string(std::llround(bytes / kKilo / kKilo));
    row += Cell(where + "all sites", all, bytes, kSlack);
    ExpectSumIsTheCount(recording);
    const bool has_both = truths.contains("smallElsewhere");
    const double of_class = truths["small"] + (has_both ? truths["smallElsewhere"] : 0);
    row += Cell(where + "Small", ByClass(recording, shape.interval_bytes)["AllocationTruth$Small"],
                of_class, slack, expected(of_class));
    for (const std::string site :
         {"tiny", "small", "smallElsewhere", "ints", "chars", "bytes", "longs"}) {
      row += truths.contains(site) ? Cell(where + site, sites["AllocationTruth." + site],
                                          truths[site], slack, expected(truths[site]))
                                   : " |";
    }
    std::cout << row << " |\n" << std::flush;
  }
};
JPROF_ON_JDKS_FROM(11, AllocTableTest);

TEST_P(AllocTableTest, SumsAreTrueWithEveryCollector) {
  for (const std::string& collector : Collectors()) {
    for (const Shape& shape : Shapes()) {
      if (jdk().major >= shape.first_major) PrintRow(collector, shape);
    }
  }
}

TEST_P(AllocTableTest, SumsOfManyShortThreadsAreTrueWithEveryCollector) {
  for (const std::string& collector : Collectors()) PrintRow(collector, ManyThreads());
}

}  // namespace
}  // namespace jprof::test
