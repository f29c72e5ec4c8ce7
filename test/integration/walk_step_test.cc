// Walks at each instruction of what the VM has code of its own for, below three methods: each walk
// has to be rooted and to have the three, each once.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class WalkStepTest : public JvmTest {
 protected:
  // `names`: tasks of the program; empty: all. Each runs warm_up times before it is stepped
  // through.
  ProgramOutput Step(const std::vector<std::string>& jvm_arguments, int warm_up,
                     const std::vector<std::string>& names) {
    // The debug information that the agent asks for, and interpreted frames where those of the code
    // that is stepped through will be.
    std::vector<std::string> arguments = {
        "-agentpath:" + NativeLibraryFolder() + "/libwalk_probe.so=step=2",
        "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints",
        "-XX:CompileCommand=exclude,Stepped::stale"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    std::vector<std::string> program = {"Stepped", std::to_string(warm_up)};
    program.insert(program.end(), names.begin(), names.end());
    ProcessSpec spec = Java(program, arguments);
    spec.timeout = std::chrono::minutes(5);
    const ProcessResult run = RunProcess(spec);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return ProgramOutput(run.out);
  }

  // The VM computes what compiled code does not: on JDK 8 Math.sin and others, whose callers have
  // pushed all registers below their frames.
  void StepThroughMathInTheVm(const std::string& compiler) {
    const std::vector<std::string> names = {"sinBig", "tanBig", "doubleRemainder"};
    constexpr int kWarmUp = 12'000;
    const ProgramOutput out = Step({compiler}, kWarmUp, names);
    for (const std::string& name : names) {
      EXPECT_EQ(out.Number("native.wrong." + name), 0) << name;
    }
    if (jdk().major == 8) {
      EXPECT_GE(out.Number("native.steps.sinBig"), 300);
    }
  }
};
JPROF_ON_EVERY_JDK(WalkStepTest);

TEST_P(WalkStepTest, MathInTheVmCalledByC1) { StepThroughMathInTheVm("-XX:TieredStopAtLevel=1"); }

TEST_P(WalkStepTest, MathInTheVmCalledByC2) { StepThroughMathInTheVm("-XX:-TieredCompilation"); }

}  // namespace
}  // namespace jprof::test
