// A recording of many chunks is one recording: no sample is lost between two chunks.
#include <algorithm>
#include <cmath>
#include <set>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class RotationTest : public JvmTest {};
JPROF_ON_EVERY_JDK(RotationTest);

// There are far more samples than chunks: four threads on few cores have one every 1 ms of CPU
// time.
TEST_P(RotationTest, ChunksOfOneSecondAddUpToTheWhole) {
  const ProcessResult run = RunProfiled(
      "start,cpu=1ms,wall=5ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "4", "2000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");

  auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(1));
  for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
    EXPECT_THAT(cpu[name], IsWithin(0.05, truth)) << name;
  }
  const AgentLog log(run.err);
  EXPECT_EQ(recording.Count(kExecutionSample), log.LastCount("cpu")) << run.err;
  const int64_t wall = recording.Sum(kWallClockSample, "samples");
  EXPECT_EQ(wall, log.LastCount("wall")) << run.err;
  // A thread that waits for a processor can miss signals for a while; this has nothing to do with
  // chunks.
  int64_t unreached = 0;
  for (const char* type : {kExecutionSample, kWallClockSample}) {
    for (const Event& event : recording.OfType(type)) {
      if (!event.HasFrame("jprof.[lost: no signal reached the thread]")) continue;
      unreached += type == kExecutionSample ? 1 : event.Number("samples");
    }
  }
  EXPECT_EQ(log.LastCount("lost"), unreached) << run.err;
}

TEST_P(RotationTest, ChunksHaveTheRequestedLengthWithoutGaps) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "2", "3000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Result<std::vector<ChunkHeader>> read = ReadChunkHeaders(Path("out.jfr"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  const std::vector<ChunkHeader>& chunks = read.value();
  ASSERT_GE(chunks.size(), 4u);
  for (size_t i = 0; i + 1 < chunks.size(); ++i) {
    const int64_t end_nanos = chunks[i].start_nanos + chunks[i].duration_nanos;
    // The first chunk is short: it contains only the opening events, and is written at once so that
    // the file exists.
    const int64_t at_least = i > 0 ? 999'000'000 : 0;
    EXPECT_GE(chunks[i].duration_nanos, at_least) << i;
    EXPECT_GE(chunks[i + 1].start_nanos, end_nanos) << i;
    // If a signal handler is delayed, its event can be later than the end of the chunk it belongs
    // to.
    EXPECT_LE(chunks[i + 1].start_nanos - end_nanos, 1'000'000) << i;
  }
}

TEST_P(RotationTest, ASmallChunkSizeSealsChunksEarlier) {
  const ProcessResult run = RunProfiled("start,cpu=100us,chunksize=256k,file=" + Path("out.jfr"),
                                        {"BusyLoop", "4", "2500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Result<std::vector<ChunkHeader>> read = ReadChunkHeaders(Path("out.jfr"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_GE(read.value().size(), 3u);
  ReadSound("out.jfr");
}

}  // namespace
}  // namespace jprof::test
