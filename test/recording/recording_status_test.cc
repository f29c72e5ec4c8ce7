#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <sstream>

#include "answers/answer_text.h"
#include "recording/recording_report.h"

namespace jprof {
namespace {

constexpr auto kCpu = static_cast<size_t>(SampleKind::kCpu);
constexpr auto kWall = static_cast<size_t>(SampleKind::kWall);

RecordingStatus Running() {
  RecordingStatus status;
  status.phase = RecordingPhase::kRunning;
  status.recording.emplace();
  status.recording->engines = {"cpu every 10 ms", "wall every 50 ms"};
  status.recording->signals = {SIGPROF, SIGVTALRM};
  status.recording->file = "/abs/out.jfr";
  status.recording->file_bytes = 2049;
  std::tm start{};
  strptime("2024-02-03 04:05:06", "%Y-%m-%d %H:%M:%S", &start);
  status.recording->start_time = mktime(&start);
  status.recording->uptime_ns = 12'340'000'000;
  status.recording->summary.recorded = {1000, 234};
  status.recording->summary.lost_without_thread[0] = 4;
  status.recording->threads.slots_in_use = 31;
  status.recording->threads.threads = {30, 0, 2};
  status.recording->threads.java_threads = 12;
  status.recording->threads.slots_recycled = 7;
  status.recording->threads.latency[2] = {2, 50'000, 40'000};
  status.recording->memory_bytes = 8192;
  status.recording->summary.handler_ns = 23'400'000;
  status.recording->summary.own_threads_ns = 100'000'000;
  return status;
}

std::string TextOf(const RecordingStatus& status) { return AnswerText(StatusAnswer(status)); }

TEST(RecordingStatusTest, TheAnswerHasTheFactsOfTheRecording) {
  std::string lines;
  const AgentAnswer answer = StatusAnswer(Running());
  for (const AgentFact& fact : answer.facts.all()) {
    if (fact.key != "startTime") lines += fact.key + ' ' + fact.value + '\n';
  }
  EXPECT_EQ(lines,
            "state recording\n"
            "engines[] cpu every 10 ms\n"
            "engines[] wall every 50 ms\n"
            "signals.cpu SIGPROF\n"
            "signals.wall SIGVTALRM\n"
            "elapsedNs 12340000000\n"
            "file /abs/out.jfr\n"
            "fileBytes 2049\n"
            "samples 1234\n"
            "lostSamples 4\n"
            "recorded.cpu.samples 1000\n"
            "lost.no thread slot.cpu.samples 4\n"
            "recorded.wall.samples 234\n"
            "threads.java 12\n"
            "threads.native 19\n"
            "found.at the start.threads 30\n"
            "found.by pthread_create.threads 2\n"
            "found.by pthread_create.after.threads 2\n"
            "found.by pthread_create.after.totalNs 50000\n"
            "found.by pthread_create.after.longestNs 40000\n"
            "cost.handlersNs 23400000\n"
            "cost.walksNs 0\n"
            "cost.threadsNs 100000000\n"
            "memoryBytes 8192\n");
}

TEST(RecordingStatusTest, ShowsARecordingInFull) {
  EXPECT_EQ(TextOf(Running()),
            "state     recording\n"
            "engines   cpu every 10 ms, wall every 50 ms\n"
            "signals   SIGPROF for cpu, SIGVTALRM for wall\n"
            "since     2024-02-03 04:05:06 (12.3 s ago)\n"
            "stops     when told to\n"
            "file      /abs/out.jfr (3 kB written)\n"
            "samples   1234 samples (1000 cpu, 234 wall)\n"
            "lost      4 lost (4 no thread slot)\n"
            "threads   31 (12 Java, 19 native)\n"
            "found     30 at the start, 2 by pthread_create (25.00 us after, at most 40.00 us)\n"
            "cost      23.40 ms in signal handlers, 100.00 ms in threads of jprof, together 1.00 % "
            "of one "
            "processor; without probes, hooks and callbacks of the JVM, which are not measured\n"
            "memory    8 kB\n");
}

TEST(RecordingStatusTest, SamplesWhoseStacksAreTooDeepAreCounted) {
  RecordingStatus status = Running();
  status.recording->summary.without_root[static_cast<size_t>(SampleKind::kLock)] = 1;
  EXPECT_NE(TextOf(status).find("deep      1 sample without the root of the stack"),
            std::string::npos);
}

TEST(RecordingStatusTest, EventsThatCouldNotBeWrittenAreCounted) {
  RecordingStatus status = Running();
  EXPECT_EQ(TextOf(status).find("unwritten"), std::string::npos);
  status.recording->summary.unwritten_events = 17;
  EXPECT_NE(TextOf(status).find("unwritten 17 events, as the file could not be written"),
            std::string::npos);
}

TEST(RecordingStatusTest, ShowsTheTimeLeftUntilTheTimeout) {
  RecordingStatus status = Running();
  status.recording->time_left_ns = 1'500'000'000;
  EXPECT_NE(TextOf(status).find("stops     in 1.5 s\n"), std::string::npos);
}

TEST(RecordingStatusTest, NamesTheJvmEventThatUsesOurSignal) {
  RecordingStatus status = Running();
  status.recording->jvm_samples_by_sigprof = true;
  EXPECT_NE(TextOf(status).find("jdk.CPUTimeSample"), std::string::npos);
  status.recording->signals[kCpu] = SIGSTKFLT;
  EXPECT_EQ(TextOf(status).find("jdk.CPUTimeSample"), std::string::npos);
  EXPECT_NE(TextOf(status).find("signals   SIGSTKFLT for cpu, SIGVTALRM for wall\n"),
            std::string::npos);
}

TEST(RecordingStatusTest, ReportsThatWallMissesVirtualThreads) {
  RecordingStatus status = Running();
  status.recording->lacks_waiting_virtual_threads = true;
  EXPECT_NE(TextOf(status).find("not seen  virtual threads that wait"), std::string::npos);
  status.recording->signals[kWall].reset();
  EXPECT_EQ(TextOf(status).find("not seen"), std::string::npos);
}

TEST(RecordingStatusTest, WithoutARecordingThereIsOnlyTheState) {
  EXPECT_EQ(TextOf({}), "state     idle\n");
}

TEST(RecordingStatusTest, AlignsTheValuesOfAllLines) {
  std::istringstream lines(TextOf(Running()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line[9], ' ') << line;
    EXPECT_NE(line[10], ' ') << line;
  }
}

}  // namespace
}  // namespace jprof
