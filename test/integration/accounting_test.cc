// A recording accounts for every sample, and for the cost of profiling.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <regex>
#include <string>
#include <thread>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

constexpr char kLostFrame[] = "jprof.[lost: ";

// Sums of one field over the events of one type, by the subject of the event (see SubjectOf).
using Rows = std::map<std::string, int64_t>;

class AccountingTest : public JvmTest {
 protected:
  static std::string SubjectOf(const Event& row) {
    if (row.Has("outcome")) return row.Text("kind") + ' ' + row.Text("outcome");
    for (const char* field : {"part", "category", "name"}) {
      if (row.Has(field)) return row.Text(field);
    }
    return "";
  }
  static Rows Sums(const Recording& recording, const std::string& type, const std::string& field) {
    Rows sums;
    for (const Event& row : recording.OfType(type)) sums[SubjectOf(row)] += row.Number(field);
    return sums;
  }
  static Rows Last(const Recording& recording, const std::string& type, const std::string& field) {
    Rows last;
    for (const Event& row : recording.OfType(type)) {
      last[SubjectOf(row)] = std::max(last[SubjectOf(row)], row.Number(field));
    }
    return last;
  }
  static int64_t SumOf(const Rows& rows, const std::string& kind) {
    int64_t sum = 0;
    for (const auto& [subject, intervals] : rows) {
      if (subject.starts_with(kind + ' ')) sum += intervals;
    }
    return sum;
  }
};
JPROF_ON_EVERY_JDK(AccountingTest);

TEST_P(AccountingTest, EventsRowsAndTheAgentsOwnCountsAgree) {
  const ProcessResult run = RunProfiled(
      "start,cpu=5ms,wall=10ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const Rows chunks = Sums(recording, "profiler.SampleCount", "intervals");
  EXPECT_EQ(chunks, Last(recording, "profiler.SampleCount", "total"));

  const AgentLog log(run.err);
  const int64_t wall = recording.Sum(kWallClockSample, "samples");
  EXPECT_EQ(SumOf(chunks, "cpu"), recording.Count(kExecutionSample));
  EXPECT_EQ(SumOf(chunks, "cpu"), log.LastCount("cpu"));
  EXPECT_EQ(SumOf(chunks, "wall"), wall);
  EXPECT_EQ(SumOf(chunks, "wall"), log.LastCount("wall"));
}

// The program has far more stacks than the profiler's memory holds.
TEST_P(AccountingTest, LostSamplesAreRecordedWithReasonAndWeight) {
  const ProcessResult run = RunProfiled(
      "start,wall=1ms,memlimit=16m,jstackdepth=16000,chunktime=1s,file=" + Path("out.jfr"),
      {"ManyStacks", "8", "8000", "2500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const Rows rows = Sums(recording, "profiler.SampleCount", "intervals");
  EXPECT_EQ(rows, Last(recording, "profiler.SampleCount", "total"));

  Rows lost;
  int64_t all = 0;
  for (const Event& sample : recording.OfType(kWallClockSample)) {
    all += sample.Number("samples");
    const std::string leaf = sample.frames.empty() ? "" : sample.frames[0].method;
    if (!leaf.starts_with(kLostFrame)) continue;
    const std::string reason = leaf.substr(sizeof kLostFrame - 1);
    lost["wall lost: " + reason.substr(0, reason.size() - 1)] += sample.Number("samples");
  }
  EXPECT_THAT(lost, Not(IsEmpty()));
  for (const auto& [subject, intervals] : lost) EXPECT_EQ(rows.at(subject), intervals) << subject;
  EXPECT_EQ(all, SumOf(rows, "wall"));
  EXPECT_EQ(all - rows.at("wall recorded"), AgentLog(run.err).LastCount("lost"));
}

TEST_P(AccountingTest, TimeAndMemoryOfTheProfilerAreInEveryChunk) {
  const ProcessResult run = RunProfiled(
      "start,cpu=5ms,wall=5ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const Rows times = Sums(recording, "profiler.ProfilerTime", "time");
  EXPECT_EQ(times, Last(recording, "profiler.ProfilerTime", "total"));
  for (const char* part : {"thread jprof-recorder", "thread jprof-storage", "thread jprof-wall",
                           "signal handlers", "signal handlers: stack walks"}) {
    EXPECT_THAT(times, Contains(Key(part)));
  }
  EXPECT_GT(times.at("thread jprof-recorder"), 0);
  EXPECT_GT(times.at("signal handlers: stack walks"), 0);
  EXPECT_GT(times.at("signal handlers"), times.at("signal handlers: stack walks"));
  EXPECT_LT(times.at("signal handlers"), run.usage.ru_utime.tv_sec * 1'000'000'000 + 1e9);

  const Rows memory = Last(recording, "profiler.ProfilerMemory", "size");
  for (const char* category : {"stacks", "samples", "thread slots"}) {
    ASSERT_THAT(memory, Contains(Key(category)));
    EXPECT_GT(memory.at(category), 0) << category;
  }
  const Rows counters = Last(recording, "profiler.Counter", "value");
  EXPECT_GE(counters.at("thread slots in use"), 3);
  EXPECT_THAT(counters, Contains(Key("threads known by jvmti")));
}

// Counters of the recording give the CPU time of the process and the part of it before the first
// sample, so that the samples can be compared with the rest.
TEST_P(AccountingTest, SamplesAndTheProfilersThreadsAddUpToTheTimeOfTheProcess) {
  constexpr std::chrono::milliseconds kInterval(5);
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  double sum = 0;
  const auto by_thread = NanosByThread(recording, kExecutionSample, kInterval);
  for (const auto& [thread, nanos] : by_thread) sum += nanos;
  for (const auto& [part, nanos] : Last(recording, "profiler.ProfilerTime", "total")) {
    if (part.starts_with("thread ")) sum += static_cast<double>(nanos);
  }
  const Rows counters = Last(recording, "profiler.Counter", "value");
  const int64_t clock = counters.at("ns of CPU of the process") -
                        counters.at("ns of CPU before the first sample of cpu");
  // The sum for each thread is off by up to one interval, uniformly distributed. About ten threads
  // of the VM run too little to have a sample, and are missing from `by_thread`.
  const double threads = static_cast<double>(by_thread.size()) + 10;
  const double error = 4 * std::sqrt(threads / 6) * std::chrono::nanoseconds(kInterval).count();
  EXPECT_NEAR(sum, static_cast<double>(clock), error + 0.01 * static_cast<double>(clock));
}

class StatusCountsTest : public CliTest {
 protected:
  // Returns the count in "1234 wall" of an answer.
  static int64_t WallSamples(const ProcessResult& answer) {
    std::smatch found;
    const std::string& text = answer.out;
    EXPECT_TRUE(std::regex_search(text, found, std::regex("([0-9]+) wall"))) << answer.Describe();
    return found.empty() ? 0 : std::stoll(found[1]);
  }
};
JPROF_ON_EVERY_JDK(StatusCountsTest);

// Returns the CPU time of another process.
int64_t CpuNanosOf(pid_t pid) {
  clockid_t clock = 0;
  timespec time = {};
  EXPECT_EQ(clock_getcpuclockid(pid, &clock), 0);
  EXPECT_EQ(clock_gettime(clock, &time), 0);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Checks the two counters that the comparison of samples with the CPU clock of the process needs.
TEST_P(StatusCountsTest, RecordsTheTimeBeforeTheFirstSample) {
  auto program = RunningProcess::Start(Java({"BusyLoop", "2", "60000"}));
  ASSERT_TRUE(program.ok()) << program.error().message();
  const pid_t pid = program.value().pid();
  AwaitThread(pid, "busy-0");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const int64_t before = CpuNanosOf(pid);
  ASSERT_EQ(JprofOn(pid, {"start", "-o", Path("out.jfr")}).exit_code, 0);
  const int64_t after = CpuNanosOf(pid);
  ASSERT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  const int64_t end = CpuNanosOf(pid);
  std::map<std::string, int64_t> counters;
  for (const Event& counter : ReadSound("out.jfr").OfType("profiler.Counter")) {
    counters[counter.Text("name")] = counter.Number("value");
  }
  const int64_t unsampled = counters["ns of CPU before the first sample of cpu"];
  EXPECT_GT(before, 0);
  EXPECT_GE(unsampled, before);
  EXPECT_LE(unsampled, after);
  EXPECT_GE(counters["ns of CPU of the process"], unsampled);
  EXPECT_LE(counters["ns of CPU of the process"], end);
  kill(pid, SIGKILL);
}

// Samples of a sleeping thread are written when it wakes or when the chunk ends.
TEST_P(StatusCountsTest, CountsSleepBeforeTheThreadsWake) {
  constexpr int kSleepers = 12;
  constexpr std::chrono::milliseconds kInterval(10), kPause(2000);
  auto program =
      RunningProcess::Start(Java({"Sleepers", std::to_string(kSleepers), "60000"},
                                 {AgentArgument("start,wall=10ms,file=" + Path("out.jfr"))}));
  ASSERT_TRUE(program.ok()) << program.error().message();
  const pid_t pid = program.value().pid();
  AwaitRecording(pid);
  for (int i = 0; i < kSleepers; ++i) AwaitThread(pid, "sleeper-" + std::to_string(i));
  const int64_t before = WallSamples(JprofOn(pid, {"dump"}));
  std::this_thread::sleep_for(kPause);
  const int64_t after = WallSamples(JprofOn(pid, {"status"}));
  const int64_t dumped = WallSamples(JprofOn(pid, {"dump"}));
  // The count of each sleeper may lag by two intervals.
  EXPECT_GE(after - before, kSleepers * (kPause / kInterval - 2));
  EXPECT_LE(after, dumped);
  kill(pid, SIGKILL);
}

}  // namespace
}  // namespace jprof::test
