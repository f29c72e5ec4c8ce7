// Walks at each instruction of what the VM has code of its own for: intrinsics, stubs, adapters,
// the interpreter's ways into and out of methods. Each has the methods that have called it, each
// once. x86-64 alone: by single steps of the processor.
#include <cstdio>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class SteppedStubsTest : public JvmTest {
 protected:
  // `warm_up`: the calls before the steps.
  void Step(const std::string& mode, int warm_up) {
    // These two leave frames of interpreted methods where the next code has its own.
    ProcessSpec spec =
        Java({"Stepped", std::to_string(warm_up)},
             {"-agentpath:" + NativeLibraryFolder() + "/libwalk_probe.so=step=1", mode,
              "-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Stepped::stale",
              "-XX:CompileCommand=exclude,Stepped::same"});
    spec.timeout = std::chrono::minutes(5);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput out(run.out);
    const std::vector<std::string> labels = LabelsOf(run.out);
    EXPECT_EQ(static_cast<double>(labels.size()), out.Number("tasks"));
    double all = 0;
    double wrong = 0;
    for (const std::string& label : labels) {
      const double steps = out.Number("steps." + label);
      const double missed = out.Number("wrong." + label);
      EXPECT_GE(steps, 100) << label;
      all += steps;
      wrong += missed;
    }
    printf("%s: %.0f of %.0f steps without their callers\n", mode.c_str(), wrong, all);
    EXPECT_GE(all, 100'000);
    // Where exceptions are forwarded, and frames made and taken down that the VM describes nowhere;
    // and where the compiler has mixed the instructions of a method with those of its caller.
    EXPECT_LE(wrong, all / 500) << run.out;
  }

 private:
  static std::vector<std::string> LabelsOf(const std::string& output) {
    std::vector<std::string> labels;
    const std::string begin = "\nsteps.";
    for (size_t at = output.find(begin); at != std::string::npos; at = output.find(begin, at + 1)) {
      const size_t from = at + begin.size();
      labels.push_back(output.substr(from, output.find('=', from) - from));
    }
    return labels;
  }
};
JPROF_ON_EVERY_JDK(SteppedStubsTest);

TEST_P(SteppedStubsTest, Interpreted) { Step("-Xint", 5); }

TEST_P(SteppedStubsTest, CompiledByC1) { Step("-XX:TieredStopAtLevel=1", 3000); }

TEST_P(SteppedStubsTest, CompiledByC2) { Step("-XX:-TieredCompilation", 12000); }

}  // namespace
}  // namespace jprof::test
