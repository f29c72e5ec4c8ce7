// A change of the program that takes a known time moves exactly the shares that it should move: the
// idea of Burchell and Marr, who slow machine code down (OOPSLA 2025, doi 10.1145/3763180).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr char kBefore[] = "CausalUnits.before";
constexpr char kUnit[] = "CausalUnits.unit";
constexpr char kAfter[] = "CausalUnits.after";

// The names of the blocks in the program. The index is the number of units.
constexpr std::array<const char*, 3> kBlocks = {"none", "one", "two"};

// A right profile is outside of so many standard errors less than once in 10 000 runs.
constexpr double kErrors = 4;

std::string Seconds() {
  const char* const given = std::getenv("JPROF_CAUSAL_SECONDS");
  return given == nullptr ? "8" : given;
}

// The samples of the main thread in a block, and the time of the block.
struct Block {
  double samples = 0;
  double round_ns = 0;  // CPU time of one round, as the program has measured it
  double before = 0;    // shares of the samples
  double unit = 0;
  double after = 0;

  double Error(double share) const { return std::sqrt(share * (1 - share) / samples); }
};

Block BlockOf(const std::vector<Event>& samples, const ProgramOutput& truth,
              const std::string& name) {
  Block block;
  block.round_ns = truth.Number("cpu." + name) / truth.Number("rounds");
  for (const Event& sample : samples) {
    if (!sample.HasFrame("CausalUnits." + name)) continue;
    const auto number = static_cast<double>(std::max<int64_t>(sample.Number("samples"), 1));
    block.samples += number;
    if (sample.HasFrame(kBefore)) block.before += number;
    if (sample.HasFrame(kUnit)) block.unit += number;
    if (sample.HasFrame(kAfter)) block.after += number;
  }
  block.before /= block.samples;
  block.unit /= block.samples;
  block.after /= block.samples;
  return block;
}

class CausalTest : public JvmTest {};
JPROF_ON_EVERY_JDK(CausalTest);

// The blocks run in turns in one program, since the speed of a shared processor differs between two
// runs by more than the error of the samples.
TEST_P(CausalTest, AUnitOfWorkMovesItsOwnShareAndNoOther) {
  const ProcessResult result = RunProfiled(
      "start,event=cpu,interval=500us,file=" + Path("units.jfr"), {"CausalUnits", Seconds()});
  ASSERT_EQ(result.exit_code, 0) << result.Describe();
  const ProgramOutput truth(result.out);
  const std::vector<Event> samples = SamplesOf(ReadSound("units.jfr"), kExecutionSample, "main");
  std::array<Block, kBlocks.size()> blocks;
  for (size_t units = 0; units < kBlocks.size(); ++units) {
    blocks[units] = BlockOf(samples, truth, kBlocks[units]);
    ASSERT_GT(blocks[units].samples, 1000) << units;
  }
  EXPECT_EQ(blocks[0].unit, 0);
  const double unit_ns = (blocks[2].round_ns - blocks[0].round_ns) / 2;
  for (size_t units = 1; units < kBlocks.size(); ++units) {
    const Block& block = blocks[units];
    const double expected = static_cast<double>(units) * unit_ns / block.round_ns;
    EXPECT_NEAR(block.unit, expected, kErrors * block.Error(expected)) << units;
    // The time of the other parts stays what it was.
    for (const auto part : {&Block::before, &Block::after}) {
      const double was_ns = blocks[0].*part * blocks[0].round_ns;
      const double is_ns = block.*part * block.round_ns;
      const double error_ns = std::hypot(blocks[0].Error(blocks[0].*part) * blocks[0].round_ns,
                                         block.Error(block.*part) * block.round_ns);
      EXPECT_NEAR(is_ns, was_ns, kErrors * error_ns) << units;
    }
  }
}

}  // namespace
}  // namespace jprof::test
