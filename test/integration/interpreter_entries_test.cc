// The interpreter computes checksums in a stub, without a frame for the method that is called.
// Stacks from this stub have all callers, interpreted or compiled.
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class InterpreterEntriesTest : public JvmTest {};
JPROF_ON_EVERY_JDK(InterpreterEntriesTest);

TEST_P(InterpreterEntriesTest, TheStubOfChecksumsHasItsCallers) {
  const std::vector<std::string> callers = {"java.util.zip.CRC32.updateBytes",
                                            "java.util.zip.CRC32.update", "Checksums.checksum",
                                            "Checksums.main"};
  const std::string excluded = "-XX:CompileCommand=exclude,java.util.zip.CRC32::updateBytes0";
  const std::vector<std::vector<std::string>> modes = {
      {"-Xint"},
      {"-XX:TieredStopAtLevel=1", "-XX:-Inline", excluded,
       "-XX:CompileCommand=exclude,Checksums::checksum"}};
  for (const std::vector<std::string>& mode : modes) {
    SCOPED_TRACE(mode.front());
    const ProcessResult run =
        RunProfiled("start,cpu=2ms,file=" + Path("out.jfr"), {"Checksums", "600"}, mode);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    int in_stub = 0;
    for (const Event& sample : SamplesOf(ReadSound("out.jfr"), kExecutionSample, "main")) {
      if (sample.frames.empty() || !sample.frames.front().method.ends_with("updateBytesCRC32")) {
        continue;
      }
      ++in_stub;
      EXPECT_TRUE(sample.HasFramesInOrder(callers));
    }
    EXPECT_GE(in_stub, 100);
  }
}

}  // namespace
}  // namespace jprof::test
