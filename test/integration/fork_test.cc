// Children of fork that continue without exec are not profiled, and do not affect the recording.
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

std::string SecondsWanted() {
  const char* const wanted = getenv("JPROF_FORK_SECONDS");
  return wanted == nullptr ? "0" : wanted;
}

class ForkTest : public JvmTest {
 protected:
  void ForkBeside(const std::string& options) const {
    ProcessSpec spec = Java({"Forks", AgentLibrary(), SecondsWanted()},
                            {AgentArgument("start," + options + ",file=" + Path("out.jfr")),
                             "-Djava.library.path=" + NativeLibraryFolder()});
    spec.timeout = std::chrono::minutes(30);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_EQ(truth.Number("hung"), 0);
    EXPECT_EQ(truth.Number("otherwise"), 0) << run.err;
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(1));
    EXPECT_THAT(cpu["busy"], IsWithin(0.05, truth.Number("cpu.busy")));
    // Only the parent has stopped a recording, and no child has left a file.
    EXPECT_EQ(AgentLog(run.err).LinesWith("stopped"), 1) << run.err;
    EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  }
};
JPROF_ON_EVERY_JDK(ForkTest);

TEST_P(ForkTest, ChildrenEndInTimeAndTheRecordingStaysTrue) { ForkBeside("cpu=1ms,wall=5ms"); }

TEST_P(ForkTest, ChildrenEndInTimeWithKernelFrames) { ForkBeside("cpu=1ms,wall=5ms,kernel=1"); }

}  // namespace
}  // namespace jprof::test
