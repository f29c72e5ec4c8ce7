// A change of the program that takes a known time moves exactly the shares that it should move: the
// idea of Burchell and Marr, who slow machine code down (OOPSLA 2025, doi 10.1145/3763180).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr char kBefore[] = "CausalUnits.before";
constexpr char kUnit[] = "CausalUnits.unit";
constexpr char kAfter[] = "CausalUnits.after";

// A right profile is outside of so many standard errors less than once in 10 000 runs.
constexpr double kErrors = 4;

std::string Seconds() {
  const char* const given = std::getenv("JPROF_CAUSAL_SECONDS");
  return given == nullptr ? "4" : given;
}

// A run with a number of units in the block.
struct UnitRun {
  double samples = 0;   // samples of the main thread in the block
  double round_ns = 0;  // CPU time of a block, as the program has measured it
  double before = 0;    // shares of the samples
  double unit = 0;
  double after = 0;

  double Error(double share) const { return std::sqrt(share * (1 - share) / samples); }
};

class CausalTest : public JvmTest {
 protected:
  UnitRun RunWith(int units) const {
    const std::string file = "units-" + std::to_string(units) + ".jfr";
    const ProcessResult result = RunProfiled("start,event=cpu,interval=500us,file=" + Path(file),
                                             {"CausalUnits", std::to_string(units), Seconds()});
    EXPECT_EQ(result.exit_code, 0) << result.Describe();
    const ProgramOutput truth(result.out);
    UnitRun run;
    run.round_ns = truth.Number("cpu.main") / truth.Number("rounds");
    double before = 0;
    double unit = 0;
    double after = 0;
    for (const Event& sample : SamplesOf(ReadSound(file), kExecutionSample, "main")) {
      if (!sample.HasFrame("CausalUnits.block")) continue;
      const auto samples = static_cast<double>(std::max<int64_t>(sample.Number("samples"), 1));
      run.samples += samples;
      if (sample.HasFrame(kBefore)) before += samples;
      if (sample.HasFrame(kUnit)) unit += samples;
      if (sample.HasFrame(kAfter)) after += samples;
    }
    run.before = before / run.samples;
    run.unit = unit / run.samples;
    run.after = after / run.samples;
    return run;
  }
};
JPROF_ON_EVERY_JDK(CausalTest);

TEST_P(CausalTest, AUnitOfWorkMovesItsOwnShareAndNoOther) {
  const std::array<UnitRun, 3> runs = {RunWith(0), RunWith(1), RunWith(2)};
  EXPECT_EQ(runs[0].unit, 0);
  const double unit_ns = (runs[2].round_ns - runs[0].round_ns) / 2;
  for (int units = 1; units <= 2; ++units) {
    const UnitRun& run = runs[static_cast<size_t>(units)];
    ASSERT_GT(run.samples, 1000) << units;
    const double expected = units * unit_ns / run.round_ns;
    EXPECT_NEAR(run.unit, expected, kErrors * run.Error(expected)) << units;
    // The time of the other parts stays what it was.
    for (const auto part : {&UnitRun::before, &UnitRun::after}) {
      const double was_ns = runs[0].*part * runs[0].round_ns;
      const double is_ns = run.*part * run.round_ns;
      const double error_ns = std::hypot(runs[0].Error(runs[0].*part) * runs[0].round_ns,
                                         run.Error(run.*part) * run.round_ns);
      EXPECT_NEAR(is_ns, was_ns, kErrors * error_ns) << units;
    }
  }
}

}  // namespace
}  // namespace jprof::test
