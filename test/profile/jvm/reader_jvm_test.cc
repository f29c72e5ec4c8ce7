// Compares jprof's reader with the JDK's own reader (jdk.jfr.consumer) on recordings of real JVMs.
// Both readers must find the same events, stacks and threads.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "jfr/reader/jfr_reader.h"
#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

using profile::JfrEvent;
using profile::JfrValue;
using profile::RecordedType;
using testing::IsEmpty;

// The numbers of samples, keyed by a text about the sample that does not depend on the reader.
using SampleCounts = std::map<std::string, int64_t>;

constexpr char kStackEvents[] =
    "jdk.ExecutionSample jdk.NativeMethodSample profiler.WallClockSample "
    "jdk.ObjectAllocationSample";
bool IsStackEvent(const std::string& type) {
  return std::string(kStackEvents).find(type) != std::string::npos;
}

struct Reading {
  std::map<std::string, int64_t> events;  // type -> count
  SampleCounts stacks;
};

class OurReader : public profile::JfrVisitor {
 public:
  bool Wants(const RecordedType& /*type*/) override { return true; }
  void OnEvent(const JfrEvent& event) override {
    const std::string type(event.type().name);
    ++reading.events[type];
    if (IsStackEvent(type)) ++reading.stacks[Text(event)];
  }
  Reading reading;

 private:
  static std::string Text(const JfrEvent& event) {
    JfrValue thread = event.Field("sampledThread");
    if (!thread) thread = event.Field("eventThread");
    std::string text = std::string(event.type().name) + " " +
                       std::to_string(event.Field("startTime").Nanos()) + " " +
                       std::to_string(thread.Field("osThreadId").Long()) + " " +
                       thread.Field("javaName").String();
    const JfrValue frames = event.Field("stackTrace").Field("frames");
    for (uint64_t i = 0; i < frames.ElementCount(); ++i) {
      const JfrValue frame = frames.Element(i);
      std::string owner = frame.Field("method").Field("type").Field("name").String();
      std::replace(owner.begin(), owner.end(), '/', '.');
      text += ";";
      text += owner + "." + frame.Field("method").Field("name").String() + ":" +
              std::to_string(frame.Field("lineNumber").Long()) + "/" + frame.Field("type").String();
    }
    return text;
  }
};

Reading TheirReading(const Recording& recording) {
  Reading reading;
  for (const Event& event : recording.events()) {
    ++reading.events[event.type];
    if (!IsStackEvent(event.type)) continue;
    const std::string thread = event.Has("sampledThread.osName") ? "sampledThread" : "eventThread";
    std::string name = event.Text(thread + ".javaName");
    if (name == kUnresolved) name.clear();
    std::string tid = event.Text(thread + ".osThreadId");
    if (tid.empty()) tid = "0";  // JDK 17 writes samples of an ending thread without it
    std::string text = event.type + " " + event.Text("startTime") + " " + tid + " " + name;
    for (const Frame& frame : event.frames) {
      text += ";";
      text += frame.method + ":" + std::to_string(frame.line) + "/" + frame.type;
    }
    ++reading.stacks[text];
  }
  return reading;
}

class ReaderJvmTest : public JvmTest {
 protected:
  // Returns the only .jfr file in the repository. Returns "" if there is none yet.
  std::string OpenChunk() const {
    std::error_code error;
    std::filesystem::recursive_directory_iterator files(Path("repository"), error);
    for (; !error && files != std::filesystem::recursive_directory_iterator();
         files.increment(error)) {
      if (files->path().extension() == ".jfr") return files->path().string();
    }
    return {};
  }

  // Expects that both readers read the same from the recording, and that it has samples.
  void ExpectSameReading(const std::string& name) const {
    OurReader ours;
    const auto report = profile::ReadJfr(Path(name), ours);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_THAT(report.value().missing, IsEmpty());
    const auto theirs = Recording::Read(ReaderOf(jdk()), Path(name));
    ASSERT_TRUE(theirs.ok()) << theirs.error().message();
    const Reading expected = TheirReading(theirs.value());
    EXPECT_EQ(ours.reading.events, expected.events);
    EXPECT_GT(expected.stacks.size(), 10u);
    for (const auto& [text, count] : expected.stacks) {
      const auto found = ours.reading.stacks.find(text);
      ASSERT_NE(found, ours.reading.stacks.end()) << "theirs alone: " << text;
      EXPECT_EQ(found->second, count) << text;
    }
    EXPECT_EQ(ours.reading.stacks.size(), expected.stacks.size());
  }
};
JPROF_ON_EVERY_JDK(ReaderJvmTest);

TEST_P(ReaderJvmTest, OurRecordingsReadAsTheJdkReadsThem) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,wall=20ms,file=" + Path("ours.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectSameReading("ours.jfr");
}

class JdkRecordingTest : public ReaderJvmTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrReader, JdkRecordingTest);

TEST_P(JdkRecordingTest, ReadsAsTheJdkReadsIt) {
  const ProcessResult run =
      RunProcess(Java({"AllocGc", "1500"},
                      {"-XX:StartFlightRecording=settings=profile,filename=" + Path("jdk.jfr")}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectSameReading("jdk.jfr");
}

// Older JDKs write a chunk to its file only when it ends.
constexpr int kFirstMajorWithOpenChunk = 17;

class OpenChunkTest : public ReaderJvmTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOpenChunk, OpenChunkTest);

// A killed JVM leaves an unfinished chunk in its repository.
TEST_P(OpenChunkTest, OfAKilledJvmIsRead) {
  auto jvm = RunningProcess::Start(Java(
      {"BusyLoop", "2", "60000"}, {"-XX:FlightRecorderOptions=repository=" + Path("repository"),
                                   "-XX:StartFlightRecording=settings=profile"}));
  ASSERT_TRUE(jvm.ok()) << jvm.error().message();
  std::string chunk;
  const auto has_samples = [&] {
    chunk = OpenChunk();
    OurReader reader;
    return !chunk.empty() && profile::ReadJfr(chunk, reader).ok() &&
           reader.reading.stacks.size() > 10;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (!has_samples() && std::chrono::steady_clock::now() < deadline) usleep(200'000);
  jvm.value().SendSignal(SIGKILL);
  jvm.value().Wait();

  OurReader reader;
  const auto report = profile::ReadJfr(chunk, reader);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_THAT(report.value().missing, testing::HasSubstr("never finished"));
  EXPECT_GT(reader.reading.stacks.size(), 10u);
}

class AsyncProfilerRecordingTest : public ReaderJvmTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrReader, AsyncProfilerRecordingTest);

// Fetches the profiler from Maven Central, with the pom next to the workloads.
TEST_P(AsyncProfilerRecordingTest, ReadsAsTheJdkReadsIt) {
  const std::string folder = testing::TempDir() + "jprof-async-profiler";
  const std::string library = folder + "/linux-x64/libasyncProfiler.so";
  if (!FetchFromMaven("async_profiler", "unpack-dependencies", folder)) {
    GTEST_SKIP() << "async-profiler cannot be had from Maven Central";
  }
  const ProcessResult run =
      RunProcess(Java({"BusyLoop", "2", "1500"},
                      {"-agentpath:" + library +
                       "=start,event=ctimer,wall=50ms,interval=5ms,jfr,file=" + Path("ap.jfr")}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectSameReading("ap.jfr");
}

}  // namespace
}  // namespace jprof::test
