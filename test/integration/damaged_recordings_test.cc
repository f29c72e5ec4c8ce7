// jprof reads damaged recordings: each conversion and each view ends with a result or with one line
// that says why there is none, in bounded time and memory, and leaves no partial file. Recordings
// of random content, and malicious recordings that follow the format, are in test/fuzz.
#include "integration/damaged_recordings.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli_fixture.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kUnreadableFile = 10;  // jprof's exit code
constexpr char kDamaged[] = "damaged.jfr";
constexpr char kOlder[] = "of an earlier conversion\n";
// A sound recording of this test takes jprof less than a second of CPU and 60 MB.
constexpr double kMostCpuNanos = 10e9;
constexpr int64_t kMostKilobytes = 400 << 10;

struct Reading {
  std::vector<std::string> arguments;
  std::string output;  // empty: standard output
};

std::vector<Reading> AllReadings() {
  std::vector<Reading> readings;
  for (const char* output :
       {"o.html", "o.collapsed", "o.json", "o.pb.gz", "o.otlp", "o.tree", "o.flat", "o.html.gz"}) {
    readings.push_back({{"convert", kDamaged, output}, output});
  }
  for (const char* view : {"hot", "methods", "tree", "threads", "states", "calls", "leaks", "spans",
                           "locks", "blockers", "losses", "events"}) {
    readings.push_back({{"view", view, kDamaged}, ""});
  }
  for (const char* type : {"jdk.ExecutionSample", "jdk.ActiveSetting", "profiler.ThreadTime"}) {
    readings.push_back({{"view", "events", type, "--json", kDamaged}, ""});
  }
  return readings;
}

class DamagedRecordingsTest : public CliTest {
 protected:
  static constexpr char kOurs[] =
      "start,cpu=5ms,wall=20ms,alloc=64k,live,lock=100us,nativelock=100us,trace=EventMix.compute,"
      "chunktime=1s,file=";
  // From JDK 17 on an event can be enabled by an option.
  static constexpr char kJdks[] =
      "-XX:StartFlightRecording=settings=profile,jdk.ObjectAllocationInNewTLAB#enabled=true,"
      "jdk.JavaMonitorEnter#threshold=0ms,filename=";

  void Record(const std::string& name, const std::string& argument, const std::string& file) {
    const ProcessResult run = RunProcess(Java({"EventMix", "8"}, {argument}));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Result<SoundRecording> read = ReadSoundRecording(name, Path(file));
    ASSERT_TRUE(read.ok()) << read.error().message();
    sound_.push_back(read.value());
  }

  void RecordOursAndTheJdks() {
    Record("ours", AgentArgument(kOurs + Path("ours.jfr")), "ours.jfr");
    Record("the JDK's", kJdks + Path("jdk.jfr"), "jdk.jfr");
  }

  // Returns how many events of each type jprof finds.
  std::map<std::string, int64_t> CountsOf(const std::string& file) const {
    const ProcessResult run = Jprof({"view", "events", "--limit", "0", file});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    std::map<std::string, int64_t> counts;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      int64_t count = 0;
      std::string type;
      if (words >> count >> type && type.find('.') != std::string::npos) counts[type] = count;
    }
    return counts;
  }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary | std::ios::trunc) << bytes;
  }

  // Reads the file in the next `count` ways of readings_, which are used in turn.
  void ExpectEnds(const DamagedRecording& damaged, size_t count) {
    Write(kDamaged, damaged.bytes);
    for (size_t i = 0; i < count; ++i) {
      const Reading& reading = readings_[next_++ % readings_.size()];
      if (!reading.output.empty()) Write(reading.output, kOlder);
      ExpectEnds(damaged, reading);
      if (!reading.output.empty()) std::filesystem::remove(Path(reading.output));
    }
    ExpectRepairs(damaged);
  }

  // For each recording and each kind of damage, makes `per_kind` files, and reads each in
  // `readings` ways.
  void ExpectAllEnd(int per_kind, size_t readings) {
    uint64_t seed = 1;
    std::vector<DamagedRecording> corpus = JoinedRecordings(sound_, 2 * per_kind, seed);
    for (const SoundRecording& sound : sound_) {
      for (const auto& damaged :
           {CutRecordings(sound, per_kind, ++seed), FlippedRecordings(sound, per_kind, ++seed)}) {
        corpus.insert(corpus.end(), damaged.begin(), damaged.end());
      }
    }
    for (const DamagedRecording& damaged : corpus) {
      ExpectEnds(damaged, readings);
      // After a failure the damaged file and its output remain in the test's folder.
      if (HasFailure()) return;
    }
  }

  std::vector<SoundRecording> sound_;

 private:
  void ExpectEnds(const DamagedRecording& damaged, const Reading& reading) const {
    const auto before = FilesInFolder();
    const ProcessResult run = Jprof(reading.arguments);
    std::string command;
    for (const std::string& word : reading.arguments) command += word + " ";
    SCOPED_TRACE(damaged.how + ": " + command);
    ExpectSoundEnd(run);
    EXPECT_EQ(FilesInFolder(), before);
    if (reading.output.empty()) return;
    // The output is the older file after a failure, and a new file otherwise.
    EXPECT_EQ(Content(reading.output) == kOlder, run.exit_code != 0) << run.Describe();
  }

  static void ExpectSoundEnd(const ProcessResult& run) {
    EXPECT_FALSE(run.timed_out);
    EXPECT_THAT(run.exit_code, AnyOf(0, kUnreadableFile)) << run.Describe();
    EXPECT_LT(run.CpuNanos(), kMostCpuNanos) << run.Describe();
    EXPECT_LT(run.usage.ru_maxrss, kMostKilobytes) << run.Describe();
    for (const char* crash : {"its process", "more than"}) {
      EXPECT_THAT(run.err, Not(HasSubstr(crash)));
    }
    if (run.exit_code == 0) return;
    EXPECT_EQ(run.out, "") << run.Describe();
    EXPECT_EQ(run.err.find('\n') + 1, run.err.size()) << run.Describe();
    EXPECT_THAT(run.err, testing::StartsWith("jprof: "));
  }

  // Repairs the file and reads what is left of it. This consists of whole chunks, in which bits can
  // still be wrong.
  void ExpectRepairs(const DamagedRecording& damaged) {
    SCOPED_TRACE(damaged.how + ": repair");
    const ProcessResult run = Jprof({"repair", kDamaged});
    ExpectSoundEnd(run);
    if (run.exit_code == 0) {
      EXPECT_TRUE(ReadChunkHeaders(Path(kDamaged)).ok());
      ExpectSoundEnd(Jprof({"view", "events", kDamaged}));
    }
    std::filesystem::remove(Path("damaged-tail.jfr"));
  }

  const std::vector<Reading> readings_ = AllReadings();
  size_t next_ = 0;
};
JPROF_ON_EVERY_JDK(DamagedRecordingsTest);

TEST_P(DamagedRecordingsTest, EndInAResultOrALine) {
  RecordOursAndTheJdks();
  ASSERT_EQ(sound_.size(), 2u);
  ExpectAllEnd(10, 2);
}

TEST_P(DamagedRecordingsTest, ReordersChunksOfTwoToolsWithoutLosingEvents) {
  RecordOursAndTheJdks();
  ASSERT_EQ(sound_.size(), 2u);
  std::map<std::string, int64_t> expected;
  for (const char* file : {"ours.jfr", "jdk.jfr"}) {
    for (const auto& [type, count] : CountsOf(file)) expected[type] += count;
  }
  Write(kDamaged, Reversed(sound_));
  EXPECT_GT(expected.size(), 50u);
  EXPECT_EQ(CountsOf(kDamaged), expected);
}

// Reads recordings of other profilers, each with every reading.
class DamagedRecordingsOfOthersTest : public DamagedRecordingsTest {
 protected:
  // Records with a project of test/java. Returns false if it cannot be fetched.
  bool RecordBy(const std::string& project, const std::string& library,
                const std::string& options) {
    const std::string folder = testing::TempDir() + "jprof-" + project;
    if (!FetchFromMaven(project, "unpack-dependencies", folder)) return false;
    const std::string file = project + ".jfr";
    Record(project,
           "-agentpath:" + folder + library + "=start," + options + ",jfr,file=" + Path(file),
           file);
    return true;
  }
};
JPROF_ON_EVERY_JDK(DamagedRecordingsOfOthersTest);

TEST_P(DamagedRecordingsOfOthersTest, EndInAResultOrALine) {
  RecordOursAndTheJdks();
  if (!RecordBy("async_profiler", "/linux-x64/libasyncProfiler.so",
                "event=ctimer,interval=1ms,wall=20ms,alloc=64k,lock=1us,nativemem=0")) {
    GTEST_SKIP() << "async-profiler cannot be had from Maven Central";
  }
  // The available releases of the other profilers crash later JDKs.
  if (jdk().major <= 21) {
    RecordBy("async_profiler_2", "/linux-x64/libasyncProfiler.so",
             "event=itimer,interval=1ms,alloc=64k,lock=1us");
    RecordBy("ddprof", "/META-INF/native-libs/linux-x64/libjavaProfiler.so",
             "cpu=1ms,memory=64k:al");
  }
  ASSERT_FALSE(HasFailure());
  ExpectAllEnd(40, AllReadings().size());
}

}  // namespace
}  // namespace jprof::test
