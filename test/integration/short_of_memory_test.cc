// One of the agent's requests for memory is refused, and so are all that follow. The recording is
// abandoned, and the program goes on.
#include <cstdlib>
#include <filesystem>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

int RoundsToRun() {
  const char* const rounds = getenv("JPROF_MEMORY_ROUNDS");
  return rounds == nullptr ? 16 : std::atoi(rounds);
}

class ShortOfMemoryTest : public JvmTest {
 protected:
  // Expects that the JVM survives all rounds, although some recordings do not start and some are
  // incomplete.
  void ExpectSurvived(int rounds, const std::string& extension) const {
    ProcessSpec spec = Java({"ShortOfMemory", AgentLibrary(), "start,cpu=1ms,wall=5ms,cstack=vmx",
                             NativeLibraryFolder(), folder(), std::to_string(rounds), extension});
    spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/librefusing_malloc.so");
    spec.timeout = std::chrono::minutes(1) + std::chrono::seconds(rounds);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_EQ(truth.Number("broken"), 0) << run.Describe();
    EXPECT_GT(truth.Number("given.up") + truth.Number("not.complete"), 0) << run.Describe();
    EXPECT_GT(truth.Number("not.started"), 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("answer.last=stopped")) << run.Describe();
    // Each recording that ended by itself is one line of the log. The others ended with an answer.
    EXPECT_EQ(AgentLog(run.err).LinesWith("out of memory"), truth.Number("given.up")) << run.err;
  }
};
JPROF_ON_EVERY_JDK(ShortOfMemoryTest);

TEST_P(ShortOfMemoryTest, AbandonsTheRecordingAndKeepsTheProgramRunning) {
  const int rounds = RoundsToRun();
  ExpectSurvived(rounds, "jfr");
  for (int i = 0; i < rounds; ++i) {
    const std::string file = Path("out_" + std::to_string(i) + ".jfr");
    if (!std::filesystem::exists(file)) continue;
    const auto chunks = ReadChunkHeaders(file);
    EXPECT_TRUE(chunks.ok()) << chunks.error().message();
  }
  EXPECT_GT(ReadSound("last.jfr").Count(kExecutionSample), 0);
}

TEST_P(ShortOfMemoryTest, AbandonsAPageAndKeepsTheProgramRunning) {
  ExpectSurvived(RoundsToRun() / 2, "html");
  EXPECT_TRUE(std::filesystem::exists(Path("last.html")));
}

}  // namespace
}  // namespace jprof::test
