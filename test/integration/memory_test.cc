// The recorder's memory does not grow with the number of threads and classes that have ended.
#include <map>
#include <set>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class MemoryTest : public JvmTest {
 protected:
  // Runs the program Lives with a recording. Each of its dumps ends a chunk.
  ProcessResult Live(const std::string& options, int rounds, int threads, int classes,
                     const std::string& dumps) const {
    return RunProcess(Java({"Lives", AgentLibrary(), "start,file=" + Path("out.jfr") + options,
                            NativeLibraryFolder(), std::to_string(rounds), std::to_string(threads),
                            std::to_string(classes), dumps}));
  }

  static std::map<std::string, int64_t> LastCounters(const Recording& recording) {
    std::map<std::string, int64_t> last;
    for (const Event& row : recording.OfType("profiler.Counter")) {
      last[row.Text("name")] = row.Number("value");
    }
    return last;
  }
};
JPROF_ON_EVERY_JDK(MemoryTest);

// Each of the 12 rounds has its own threads and classes. If the memory holds those of two rounds,
// it is far below half of all.
TEST_P(MemoryTest, MemoryDoesNotGrowWithEndedThreadsAndClasses) {
  const ProcessResult run = Live(",cpu=100us,cstack=no", 12, 250, 40, "rounds");
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const auto recording = Recording::Read(jdk(), Path("out.jfr"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  auto kept = LastCounters(recording.value());
  ASSERT_GT(kept["in memory: threads"], 0);
  EXPECT_LT(kept["in memory: threads"], truth.Number("threads") / 2);
  // If the recorder kept all threads, it would have several constants for each of them.
  EXPECT_LT(kept["in memory: constants"], 2 * truth.Number("threads"));
  std::set<std::string> methods;
  for (const Event& sample : recording.value().OfType(kExecutionSample)) {
    for (const Frame& frame : sample.frames) {
      if (frame.type != "Native") methods.insert(frame.method);
    }
  }
  ASSERT_GT(methods.size(), truth.Number("classes"));
  EXPECT_LT(kept["in memory: names of methods"], methods.size() / 2);
}

// A thread that starts and ends while the recorder changes epochs has its samples in the next
// epoch.
TEST_P(MemoryTest, EveryThreadHasItsNameDespiteManyChunks) {
  const ProcessResult run = Live(",cpu=100us,wall=1ms", 8, 500, 0, "always");
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  std::map<std::string, int> nameless;
  const auto recording = Recording::Read(jdk(), Path("out.jfr"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  for (const Event& event : recording.value().events()) {
    if (event.type != kExecutionSample && event.type != kWallClockSample) continue;
    const std::string name = ThreadName(event);
    if (name.starts_with("[tid")) ++nameless[name];
  }
  EXPECT_THAT(nameless, testing::IsEmpty());
  // Some threads start or end while an epoch ends or a drain runs, so that they are known as Java
  // threads only later.
  for (const char* type : {"jdk.ThreadStart", "jdk.ThreadEnd"}) {
    int64_t lives = 0;
    for (const Event& event : recording.value().OfType(type)) {
      if (event.Text("thread.javaName").starts_with("life-")) ++lives;
    }
    EXPECT_EQ(lives, ProgramOutput(run.out).Number("threads")) << type;
  }
}

}  // namespace
}  // namespace jprof::test
