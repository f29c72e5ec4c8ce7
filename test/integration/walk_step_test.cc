// Walks at each instruction of code that the VM generates, called by three methods. Each walk must
// reach the root and contain each of the three methods once.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class WalkStepTest : public JvmTest {
 protected:
  // Steps through the tasks in `names`, or through all tasks of the program if `names` is empty.
  // Each task is first called `warm_up` times.
  ProgramOutput Step(const std::vector<std::string>& jvm_arguments, int warm_up,
                     const std::vector<std::string>& names) {
    // The first two options give the debug information that the profiler's agent requests. The
    // third keeps Stepped.stale interpreted, so that it leaves interpreted frames on the stack
    // where the code under test will have its frames.
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

  // Steps through mathematics for which compiled code calls the VM. On JDK 8 this includes
  // Math.sin, whose callers have pushed all registers below their frames.
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
