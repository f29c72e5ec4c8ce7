// A start can fail at each of its steps. One line says why, and nothing of the start remains.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

// Returns how many calls from each place in the code fail, one after the other.
int Repetitions() {
  const char* const repetitions = getenv("JPROF_FAILING_CALLS");
  return repetitions == nullptr ? 2 : std::atoi(repetitions);
}

class FailingStartTest : public JvmTest {
 protected:
  // Lets each step of a start fail, and expects that nothing remains. Returns the last recording,
  // whose steps do not fail.
  Recording ExpectHarmless(const std::string& engines) const {
    const std::string files = Path("files");  // emptied before each engine
    std::filesystem::remove_all(files);
    mkdir(files.c_str(), 0700);
    ProcessSpec spec = Java({"FailingStarts", AgentLibrary(), "start," + engines,
                             NativeLibraryFolder(), files, std::to_string(Repetitions())},
                            {"-Xmx256m"});
    spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/libfailing_calls.so");
    spec.timeout = std::chrono::minutes(3);
    const ProcessResult run = RunProcess(spec);
    EXPECT_EQ(run.exit_code, 0) << engines << run.Describe();
    if (run.exit_code != 0) return Recording({});
    const ProgramOutput truth(run.out);
    EXPECT_EQ(truth.Number("broken"), 0) << engines << run.Describe();
    EXPECT_GT(truth.Number("refused"), 0) << engines << run.Describe();
    for (const char* what : {"slots", "timers", "actions", "threads", "files", "events", "code"}) {
      EXPECT_EQ(truth.Number(std::string("left.") + what), 0) << engines << what << run.Describe();
    }
    return ReadSound("files/last.jfr");
  }
};
JPROF_ON_EVERY_JDK(FailingStartTest);

TEST_P(FailingStartTest, AFailedStartOfOneEngineLeavesNothing) {
  for (const char* engine :
       {"event=cpu", "event=ctimer", "event=itimer", "wall=10ms", "trace=FailingStarts.traced",
        "lock=100us", "nativelock=100us", "cpu=1ms,begin=FailingStarts.traced", "alloc=4k",
        "alloc=4k,live", "cpu=1ms,context,spans"}) {
    ExpectHarmless(engine);
  }
}

TEST_P(FailingStartTest, AFailedStartOfAllEnginesLeavesNothing) {
  ExpectHarmless(
      "cpu=1ms,wall=10ms,trace=FailingStarts.traced,begin=FailingStarts.traced,lock=100us,"
      "nativelock=100us,alloc=4k,live,context,spans");
}

// Each start has room for a little more than the previous one, until the Java heap has room for all
// that a start needs.
TEST_P(FailingStartTest, AFailedStartInAFullHeapDoesNotBreakTheNextOne) {
  const ProcessResult run =
      RunProcess(Java({"FullHeap", AgentLibrary(), "start,lock=100us,trace=FullHeap.park",
                       NativeLibraryFolder(), folder()},
                      {"-XX:+UseSerialGC", "-Xmx8m"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_GT(truth.Number("refused"), 1) << run.Describe();
  EXPECT_EQ(truth.Number("broken"), 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.stop=stopped")) << run.Describe();
  const Recording recording = ReadSound("last.jfr");
  EXPECT_GE(recording.Count("jdk.ThreadPark"), 20);
  EXPECT_EQ(recording.Sum("jdk.MethodTiming", "invocations"), 20);
}

class FailingStartOfProbesTest : public JvmTest {};
JPROF_ON_JDKS_FROM(17, FailingStartOfProbesTest);  // -XX:+RecordDynamicDumpInfo

TEST_P(FailingStartOfProbesTest, AFailedStartWhileClassesAreArchivedIsHarmless) {
  const ProcessResult run =
      RunProcess(Java({"TracedCalls", "1000", "2", "0", "0", AgentLibrary(), NativeLibraryFolder(),
                       "start,lock=100us,file=" + Path("out.jfr")},
                      {"-XX:+RecordDynamicDumpInfo"}));
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(ProgramOutput(run.out).Number("calls.share"), 2000) << run.Describe();
}

}  // namespace
}  // namespace jprof::test
