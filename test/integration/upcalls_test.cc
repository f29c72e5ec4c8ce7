// Java code that native code calls through a function pointer has its callers in the stack: the
// native code, and the Java code that called the native code.
#include <algorithm>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr int kCalls = 20;
constexpr int kMillis = 30;

// The maximum number of samples with a frame that a deoptimisation has not filled yet
// (docs/limits.md). The thread is deoptimised about ten times, for some 20 microseconds each, and a
// sample is taken every 2 ms: the expected number is 0.1. More than 3 have a probability of 4e-6.
constexpr int kMaxUnmade = 3;

bool HasBreak(const Event& sample) {
  return std::ranges::any_of(sample.frames, [](const Frame& frame) {
    return frame.method.find("[break: ") != std::string::npos;
  });
}

class UpcallsTest : public JvmTest {};
JPROF_ON_JDKS_FROM(22, UpcallsTest);

TEST_P(UpcallsTest, JavaCalledByAFunctionPointerHasItsCallers) {
  for (const std::string mode : {"vm", "vmx", "no", "fp"}) {
    const ProcessResult run = RunProcess(
        Java({"Upcalls", NativeLibraryFolder(), std::to_string(kCalls), std::to_string(kMillis)},
             {AgentArgument("start,cpu=2ms,cstack=" + mode + ",file=" + Path(mode + ".jfr"))}));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const auto truth = static_cast<double>(ProgramOutput(run.out).Number("cpu"));
    const Recording recording = ReadSound(mode + ".jfr");
    double in_calls = 0;
    int unmade = 0;
    for (const Event& sample : SamplesOf(recording, kExecutionSample, "calling")) {
      const bool is_innermost = sample.HasFrame("Upcalls.innermost");
      if (!is_innermost && !sample.HasFrame("Upcalls.back")) continue;
      ++in_calls;
      const std::vector<std::string> callers =
          is_innermost ? std::vector<std::string>{"Upcalls.innermost", "Upcalls.callNative",
                                                  "Upcalls.back", "Upcalls.outer"}
                       : std::vector<std::string>{"Upcalls.back", "Upcalls.outer"};
      EXPECT_TRUE(sample.HasFramesInOrder(callers)) << mode;
      const bool shows_native = mode == "vmx" || mode == "fp";
      EXPECT_EQ(sample.HasFrame("libupcalls.so.jprof_call_back"), shows_native) << mode;
      // Some functions of libjvm keep no frame pointer, so that the walker `fp` loses frames there.
      if (mode == "fp") continue;
      const bool is_unmade = sample.HasFrame("jprof.[break: interpreted frame]");
      unmade += is_unmade ? 1 : 0;
      EXPECT_TRUE(is_unmade || !HasBreak(sample)) << mode;
    }
    EXPECT_LE(unmade, kMaxUnmade) << mode;
    // There are about 300 intervals. If the clock ticks late, one sample stands for two of them.
    EXPECT_GE(in_calls, 0.8 * truth / 2e6) << mode;
  }
}

}  // namespace
}  // namespace jprof::test
