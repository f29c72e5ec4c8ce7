// Walks at each instruction of code that the VM generates, below three methods: each walk must be
// rooted and contain each of the three once.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class WalkStepTest : public JvmTest {
 protected:
  // Steps through the tasks of the program in `names`, or all of them if it is empty. Each task
  // first runs warm_up times.
  ProgramOutput Step(const std::vector<std::string>& jvm_arguments, int warm_up,
                     const std::vector<std::string>& names) {
    // These options give the debug information that the agent requests, and leave interpreted
    // frames where those of the code under test will be.
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

  // Steps through math that the VM computes in place of compiled code: on JDK 8 Math.sin and
  // others, whose callers have pushed all registers below their frames.
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
