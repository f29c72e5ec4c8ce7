// Native code of the program does not notice the profiler's signals.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class ErrnoTest : public JvmTest {
 protected:
  void ExpectNoChange(const std::string& options) const {
    const ProcessResult run =
        RunProfiled("start," + options + ",file=" + Path("out.jfr"), {"ErrnoProbe", "1500"},
                    {"-Djava.library.path=" + NativeLibraryFolder()});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_GT(truth.Number("looks"), 1e6);
    EXPECT_EQ(truth.Number("changes"), 0);
    EXPECT_GE(AgentLog(run.err).LastCount("samples"), 200) << run.err;
    const Recording recording = ReadSound("out.jfr");
    EXPECT_GT(SamplesOf(recording, kExecutionSample, "errno-0").size(), 50u);
  }
};
JPROF_ON_EVERY_JDK(ErrnoTest);

TEST_P(ErrnoTest, CpuSamplingKeepsErrno) { ExpectNoChange("cpu=1ms"); }

TEST_P(ErrnoTest, WallSamplingKeepsErrno) { ExpectNoChange("wall=1ms"); }

}  // namespace
}  // namespace jprof::test
