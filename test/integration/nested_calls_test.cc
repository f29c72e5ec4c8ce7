// Java calls C calls Java calls C: the stack shows every frame of each, in their order.
#include <algorithm>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class NestedCallsTest : public JvmTest {};
JPROF_ON_EVERY_JDK(NestedCallsTest);

TEST_P(NestedCallsTest, EveryFrameOfJavaAndOfCIsShownInOrder) {
  for (const std::string mode : {"-Xint", "-Xbatch"}) {
    SCOPED_TRACE(mode);
    const ProcessResult run =
        RunProfiled("start,cpu=5ms,cstack=vmx,file=" + Path("out.jfr"), {"NestedCalls", "500"},
                    {mode, "-Djava.library.path=" + NativeLibraryFolder()});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    const std::string library = "libnested_calls.so.";
    const auto nested = SamplesOf(recording, kExecutionSample, "nested");
    const auto whole = std::count_if(nested.begin(), nested.end(), [&](const Event& sample) {
      return sample.HasFramesInOrder(
          {library + "nested_innermost", library + "Java_NestedCalls_burn", "NestedCalls.burn",
           "NestedCalls.back", library + "nested_middle", library + "Java_NestedCalls_enter",
           "NestedCalls.enter", "java.lang.Thread.run"});
    });
    const double truth = ProgramOutput(run.out).Number("cpu.nested");
    EXPECT_THAT(static_cast<double>(whole) * 5e6, IsWithin(0.1, truth));
  }
}

}  // namespace
}  // namespace jprof::test
