// On a machine that forbids process_vm_readv, a recording can be made, and says what it lacks.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class ForbiddenReadsTest : public JvmTest {
 protected:
  ProcessSpec Hello() {
    return Java({"Hello", "0"}, {AgentArgument("start,cpu=1ms,file=" + Path("out.jfr"))});
  }
  static int64_t WarningsIn(const ProcessResult& run) {
    return AgentLog(run.err).LinesWith("process_vm_readv is forbidden");
  }
};
JPROF_ON_EVERY_JDK(ForbiddenReadsTest);

TEST_P(ForbiddenReadsTest, AreReportedOnceAndDoNotPreventTheRecording) {
  ProcessSpec spec = Hello();
  spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/libforbidden_reads.so");
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(WarningsIn(run), 1) << run.err;
  EXPECT_GT(ReadSound("out.jfr").Count(kExecutionSample), 0);
}

TEST_P(ForbiddenReadsTest, AreNotReportedWhereTheyAreAllowed) {
  const ProcessResult run = RunProcess(Hello());
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(WarningsIn(run), 0) << run.err;
}

}  // namespace
}  // namespace jprof::test
