// A JVM that ends itself because memory is short leaves a complete recording, and ends as it does
// without the agent.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "integration/cli_fixture.h"
#include "jfr/writer/jfr_file.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCpuMillis[] = "600";
constexpr milliseconds kInterval{10};
constexpr int kExitOnOutOfMemory = 3;

// Returns the collectors in `few`, and in the long tier also those in `more`.
std::vector<std::string> Collectors(std::vector<std::string> few,
                                    const std::vector<std::string>& more) {
  if (std::getenv("JPROF_OUT_OF_MEMORY_LONG") != nullptr) {
    few.insert(few.end(), more.begin(), more.end());
  }
  return few;
}

constexpr char kSerial[] = "-XX:+UseSerialGC";
constexpr char kParallel[] = "-XX:+UseParallelGC";
constexpr char kG1[] = "-XX:+UseG1GC";
constexpr char kZ[] = "-XX:+UseZGC";
constexpr char kShenandoah[] = "-XX:+UseShenandoahGC";

struct HowToEnd {
  const char* name;
  std::vector<std::string> flags;
  int exit_code;  // -1 if `signal` ends the JVM
  int signal = 0;
};

const HowToEnd kExit = {"exit", {"-XX:+ExitOnOutOfMemoryError"}, kExitOnOutOfMemory};
const HowToEnd kCrash = {"crash", {"-XX:+CrashOnOutOfMemoryError"}, -1, SIGABRT};
const HowToEnd kCrashWithoutCore = {
    "crash without core", {"-XX:+CrashOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash"}, 1};
const HowToEnd kKill = {"kill", {"-XX:OnOutOfMemoryError=kill -9 %p"}, -1, SIGKILL};

class OutOfMemoryTest : public CliTest {
 protected:
  static std::string Options(const std::string& file) {
    return "start,event=cpu,interval=10ms,file=" + file;
  }

  // Returns a spec for the program with a Java heap of 64 MB and without core files.
  ProcessSpec Spec(const std::string& way, std::vector<std::string> flags,
                   const std::string& file) const {
    flags.insert(flags.begin(), {"-Xmx64m", "-XX:ErrorFile=" + Path("hs_err.log"),
                                 AgentArgument(Options(Path(file)))});
    ProcessSpec spec = Java({"OutOfMemory", way, kCpuMillis}, flags);
    spec.argv.insert(spec.argv.begin(), {"/bin/sh", "-c", "ulimit -c 0; exec \"$0\" \"$@\""});
    return spec;
  }

  ProcessResult RunOut(const std::string& way, const HowToEnd& how, const std::string& file,
                       std::vector<std::string> more_flags = {}) const {
    more_flags.insert(more_flags.end(), how.flags.begin(), how.flags.end());
    ProcessResult run = RunProcess(Spec(way, more_flags, file));
    EXPECT_EQ(run.exit_code, how.exit_code) << run.Describe();
    EXPECT_EQ(run.signal, how.signal) << run.Describe();
    return run;
  }

  // Expects at least the CPU time of the thread "burner" that the program read before it ran out of
  // memory, and at most the CPU time of the process.
  void ExpectComplete(const ProcessResult& run) const {
    const double truth = ProgramOutput(run.out).Number("cpu.burner");
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, kInterval);
    const auto interval_ns = static_cast<double>(std::chrono::nanoseconds(kInterval).count());
    EXPECT_GE(cpu["burner"], truth - 2 * interval_ns) << run.Describe();
    EXPECT_LE(cpu["burner"], run.CpuNanos() + interval_ns) << run.Describe();
  }

  // Expects that a chunk is finished within 30 s; a chunk of the usual length takes a minute.
  void ExpectShortChunk(const ProcessSpec& spec, const std::string& line) const {
    auto process = RunningProcess::Start(spec);
    ASSERT_TRUE(process.ok()) << process.error().message();
    const auto printed = process.value().WaitForLine(line);
    ASSERT_TRUE(printed.ok()) << printed.error().message();
    const auto opening_bytes = std::filesystem::file_size(Path("out.jfr"));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::filesystem::file_size(Path("out.jfr")) == opening_bytes &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    process.value().SendSignal(SIGKILL);
    ExpectComplete(process.value().Wait());
  }

  void ExpectCompleteAfter(const std::string& way, const HowToEnd& how,
                           const std::vector<std::string>& more_flags = {}) const {
    SCOPED_TRACE(way + ", " + how.name + (more_flags.empty() ? "" : ", " + more_flags.back()));
    const ProcessResult run = RunOut(way, how, "out.jfr", more_flags);
    std::vector<std::string> files = FilesInFolder();
    // The JVM writes its own crash report as it does without the agent.
    const bool is_crash = &how == &kCrash || &how == &kCrashWithoutCore;
    EXPECT_EQ(std::erase(files, "hs_err.log"), is_crash ? 1u : 0u);
    // After `kill -9` the lock file remains. Its name stays claimed until another JVM claims it.
    EXPECT_EQ(std::erase(files, ".out.jfr.lock"), &how == &kKill ? 1u : 0u);
    EXPECT_THAT(files, ElementsAre("out.jfr"));
    if (is_crash) {
      EXPECT_THAT(ReadFile(Path("hs_err.log")), HasSubstr("OutOfMemory encountered"));
      std::filesystem::remove(Path("hs_err.log"));
    }
    ExpectComplete(run);
  }
};
JPROF_ON_EVERY_JDK(OutOfMemoryTest);

TEST_P(OutOfMemoryTest, RecordingIsCompleteHoweverTheJvmEndsItself) {
  for (const HowToEnd* how : {&kExit, &kCrash, &kCrashWithoutCore, &kKill}) {
    ExpectCompleteAfter("large", *how, {kSerial});
  }
}

TEST_P(OutOfMemoryTest, RecordingIsCompleteForEveryKindOfMemory) {
  for (const std::string& collector : Collectors({kG1}, {kSerial, kParallel, kZ, kShenandoah})) {
    ExpectCompleteAfter("heap", kExit, {collector});
  }
  ExpectCompleteAfter("array", kExit);
  ExpectCompleteAfter("metaspace", kExit, {"-XX:MaxMetaspaceSize=24m"});
  // The program catches this error: the JVM reports it only to the program (jdk-25+36
  // src/hotspot/share/prims/jvm.cpp, JVM_StartThread), and does not end.
  ExpectCompleteAfter("thread", {"no end", kExit.flags, 0});
}

// Other threads request a collection while the thread that ends the JVM is inside the VM.
TEST_P(OutOfMemoryTest, RecordingIsCompleteWhenManyThreadsRunOut) {
  for (const std::string& collector : Collectors({kSerial, kG1}, {kParallel})) {
    ExpectCompleteAfter("crowd", kExit, {collector});
  }
}

TEST_P(OutOfMemoryTest, ConvertsTheOutputWhenAnExitFollowsACommand) {
  const HowToEnd both = {"command and exit",
                         {"-XX:OnOutOfMemoryError=/bin/true", "-XX:+ExitOnOutOfMemoryError"},
                         kExitOnOutOfMemory};
  const ProcessResult run = RunOut("large", both, "out.html");
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.html")) << run.Describe();
  EXPECT_EQ(AgentLog(run.err).LinesWith("ended with the JVM: "), 1) << run.err;
}

TEST_P(OutOfMemoryTest, OutputIsConverted) {
  const ProcessResult page = RunOut("large", kExit, "out.html");
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.html"));
  EXPECT_EQ(AgentLog(page.err).LinesWith("ended with the JVM: "), 1) << page.err;
  std::filesystem::remove(Path("out.html"));

  const ProcessResult run = RunOut("large", kExit, "out.collapsed");
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.collapsed"));
  const double truth = ProgramOutput(run.out).Number("cpu.burner");
  const double samples = static_cast<double>(SumOfCounts(ReadFile(Path("out.collapsed"))));
  EXPECT_GE(samples * 1e9 / 100, truth - 2e9 / 100) << run.Describe();
}

// This command does not end the JVM, so that the recording continues to the JVM's normal end.
TEST_P(OutOfMemoryTest, RecordingContinuesWhereTheJvmDoes) {
  const HowToEnd goes_on = {"goes on", {"-XX:OnOutOfMemoryError=/bin/true"}, 0};
  const ProcessResult run = RunOut("large", goes_on, "out.jfr");
  EXPECT_THAT(run.out, HasSubstr("alive=Java heap space"));
  EXPECT_EQ(AgentLog(run.err).LinesWith("stopped: "), 1) << run.err;
  ExpectComplete(run);
}

// While collections free almost no memory, every chunk is short. Therefore even a kill loses less
// than a minute.
TEST_P(OutOfMemoryTest, ChunksAreShortWhileTheHeapIsNearlyFull) {
  for (const std::string& collector : Collectors({kG1}, {kSerial, kParallel, kZ, kShenandoah})) {
    SCOPED_TRACE(collector);
    ExpectShortChunk(Spec("full", {collector}, "out.jfr"), "full=");
  }
}

// A JVM that crashes writes its report, and does not wait for the recording.
TEST_P(OutOfMemoryTest, ACrashDoesNotWaitForTheRecording) {
  const ProcessResult run =
      RunProfiled(Options(Path("out.jfr")), {"Crash", "300"},
                  {"-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + Path("hs_err.log")});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("hs_err.log"))) << run.Describe();
  EXPECT_EQ(AgentLog(run.err).LinesWith("ended with the JVM: "), 0) << run.err;
  EXPECT_EQ(AgentLog(run.err).LinesWith("warning: the JVM ends before"), 0) << run.err;
}

}  // namespace
}  // namespace jprof::test
