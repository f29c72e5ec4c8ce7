// Repeats the cases of recovery_test many times, and makes chunk after chunk for ten minutes, or
// for $JPROF_CHUNKS seconds.
#include <cstdlib>
#include <set>

#include "integration/recovery_fixture.h"

namespace jprof::test {
namespace {

class RecoveryLongTest : public RecoveryTest {};
JPROF_ON_EVERY_JDK(RecoveryLongTest);

TEST_P(RecoveryLongTest, FiftyKilledJvmsLeaveReadableFiles) { KillAndRead(50); }

TEST_P(RecoveryLongTest, TenSizesOfFullDisksLeaveReadableFiles) { FillAndRead(10); }

int SecondsWanted() {
  const char* const wanted = getenv("JPROF_CHUNKS");
  return wanted == nullptr ? 600 : std::atoi(wanted);
}

// The two threads end after a fixed elapsed time, however much CPU time they get.
TEST_P(RecoveryLongTest, HundredsOfChunksAddUp) {
  const int seconds = SecondsWanted();
  ProcessSpec spec = Java({"BusyLoop", "2", "1000", std::to_string(seconds * 1000)},
                          {AgentArgument("start,cpu=1ms,chunktime=1s,file=" + Path("out.jfr"))});
  spec.timeout = std::chrono::minutes(25);
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const auto chunks = ReadChunkHeaders(Path("out.jfr"));
  ASSERT_TRUE(chunks.ok()) << chunks.error().message();
  EXPECT_GE(chunks.value().size(), static_cast<size_t>(seconds) * 5 / 6)
      << "of a second each, and what sealing takes";
  const Recording recording = ReadSound("out.jfr");
  const AgentLog log(run.err);
  EXPECT_EQ(recording.Count(kExecutionSample), log.LastCount("cpu")) << run.err;
  EXPECT_EQ(log.LastCount("lost"), 0) << run.err;
  EXPECT_GE(recording.Count("jdk.ResidentSetSize"), seconds / 30);
  std::set<std::string> loaded;
  for (const Event& load : recording.OfType("jdk.ThreadCPULoad")) {
    loaded.insert(load.Text("eventThread.javaName"));
  }
  EXPECT_THAT(loaded, testing::IsSupersetOf({"busy-0", "busy-1"}));
  auto cpu = NanosByThread(recording, kExecutionSample, std::chrono::milliseconds(1));
  for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
    EXPECT_THAT(cpu[name], IsWithin(0.02, truth)) << name;
  }
}

}  // namespace
}  // namespace jprof::test
