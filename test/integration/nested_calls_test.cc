// Java calls C, which calls Java, which calls C: the stack shows every frame of each, in order.
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

const std::vector<std::string> kFrames = {"libnested_calls.so.nested_innermost",
                                          "libnested_calls.so.Java_NestedCalls_burn",
                                          "NestedCalls.burn",
                                          "NestedCalls.back",
                                          "libnested_calls.so.nested_middle",
                                          "libnested_calls.so.Java_NestedCalls_enter",
                                          "NestedCalls.enter",
                                          "java.lang.Thread.run"};

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
    const double truth = ProgramOutput(run.out).Number("cpu.nested");
    int64_t burning = 0;
    int64_t whole = 0;
    for (const Event& sample : SamplesOf(recording, kExecutionSample, "nested")) {
      if (!sample.HasFrame("NestedCalls.burn")) continue;
      ++burning;
      whole += sample.HasFramesInOrder(kFrames) ? 1 : 0;
    }
    EXPECT_THAT(static_cast<double>(burning) * 5e6, IsWithin(0.1, truth));
    EXPECT_EQ(whole, burning) << "from the first stack on";
  }
}

}  // namespace
}  // namespace jprof::test
