// Names of threads are those of the time of sampling, to a chunk.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class RenameTest : public JvmTest {};
JPROF_ON_EVERY_JDK(RenameTest);

TEST_P(RenameTest, AThreadHasItsNewNameFromTheNextChunkOnAndIsNotKeptAlive) {
  const std::string start = "start,cpu=1ms,file=" + Path("out.jfr");
  const ProcessResult run =
      RunProcess(Java({"Renamed", AgentLibrary(), start, NativeLibraryFolder(), "200"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(1));
  EXPECT_THAT(cpu["before"], IsWithin(0.1, truth.Number("cpu.before")));
  EXPECT_THAT(cpu["after"], IsWithin(0.1, truth.Number("cpu.after")));
  EXPECT_EQ(truth.Number("collected"), 1);
}

}  // namespace
}  // namespace jprof::test
