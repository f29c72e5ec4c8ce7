// Compares the kinds of samples that jprof reads in recordings of other tools with the kinds that
// another reader finds, by default the JDK's own reader (jdk.jfr.consumer). For each kind, it
// compares the number of samples, the sum of durations, bytes or intervals, and the first and last
// moment.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "profile/sample_reader.h"
#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

struct Totals {
  int64_t events = 0;
  int64_t value = 0;
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = 0;
  bool has_times = true;

  void Add(int64_t weight, int64_t from_ns, int64_t duration_ns) {
    ++events;
    value += weight;
    first_ns = std::min(first_ns, from_ns);
    last_ns = std::max(last_ns, from_ns + duration_ns);
  }
};
using TotalsByKind = std::map<std::string, Totals>;

class KindAdder : public profile::SampleSink {
 public:
  explicit KindAdder(const profile::Profile& profile) : profile_(profile) {}

  void OnSample(const profile::Sample& sample) override {
    const profile::Interval interval = IntervalOf(sample);
    totals[profile_.kinds[sample.kind].name].Add(
        static_cast<int64_t>(sample.value), interval.from_ns, interval.to_ns - interval.from_ns);
  }

  TotalsByKind totals;

 private:
  const profile::Profile& profile_;
};

// Defines how the events of a type count. If a type has no row, its events with a stack weigh their
// durations, or 1 if no event of the type has a duration. Their kind has the name of the type.
struct KindRow {
  const char* type;
  const char* kind;
  const char* weight;    // a field; if empty, each event weighs 1
  const char* duration;  // a field; empty for a moment
};
constexpr KindRow kRows[] = {
    {"jdk.ExecutionSample", "cpu", "", ""},
    {"jdk.NativeMethodSample", "native", "", ""},
    {"jdk.CPUTimeSample", "cpu-time", "samplingPeriod", ""},
    {"jdk.ObjectAllocationInNewTLAB", "alloc", "tlabSize", ""},
    {"jdk.ObjectAllocationOutsideTLAB", "alloc", "allocationSize", ""},
    {"profiler.WallClockSample", "wall", "samples", "timeSpan"},
    {"profiler.Malloc", "nativemem", "size", ""},
    {"jdk.JavaMonitorEnter", "lock", "duration", "duration"},
    {"jdk.ThreadPark", "park", "duration", "duration"},
    {"jdk.JavaMonitorWait", "wait", "duration", "duration"},
    {"jdk.ThreadSleep", "sleep", "duration", "duration"},
};

TotalsByKind TheirTotals(const Recording& recording) {
  TotalsByKind totals;
  std::set<std::string> lasting;
  for (const Event& event : recording.events()) {
    if (event.Number("duration") > 0) lasting.insert(event.type);
  }
  for (const Event& event : recording.events()) {
    // This type estimates the same allocations as the events of TLABs.
    if (event.type == "jdk.ObjectAllocationSample") continue;
    const int64_t time_ns = event.Number("startTime");
    const KindRow* const row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&](const KindRow& each) { return event.type == each.type; });
    if (row != std::end(kRows)) {
      const std::string weight = row->weight;
      totals[row->kind].Add(weight.empty() ? 1 : event.Number(weight), time_ns,
                            event.Number(row->duration));
    } else if (event.Has("stackTrace.truncated")) {
      const bool is_jdk = event.type.starts_with("jdk.");
      const int64_t duration_ns = event.Number("duration");
      totals[is_jdk ? event.type.substr(4) : event.type].Add(
          lasting.contains(event.type) ? duration_ns : 1, time_ns, duration_ns);
    }
  }
  return totals;
}

class ForeignKindsTest : public JvmTest {
 protected:
  // Returns the totals that the other reader finds. By default, this is the reader of the JDK.
  virtual TotalsByKind ReadElsewhere(const std::string& name) const {
    const auto read = Recording::Read(ReaderOf(jdk()), Path(name));
    EXPECT_TRUE(read.ok()) << read.error().message();
    return read ? TheirTotals(read.value()) : TotalsByKind();
  }

  // Expects that both readers find the same kinds with the same content, and that the kinds
  // `expected` are among them.
  void ExpectSameKinds(const std::string& name, const std::vector<std::string>& expected) const {
    profile::Profile profile;
    KindAdder ours(profile);
    const auto report =
        profile::ReadSamples(Path(name), profile::LineNumbers::kDrop, profile, ours);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_THAT(report.value().missing, testing::IsEmpty());
    const TotalsByKind theirs = ReadElsewhere(name);
    for (const std::string& kind : expected) EXPECT_EQ(theirs.count(kind), 1u) << kind;
    for (const auto& [kind, totals] : theirs) {
      const Totals& own = ours.totals[kind];
      EXPECT_EQ(own.events, totals.events) << kind;
      // Each reader rounds ticks to nanoseconds by itself.
      EXPECT_NEAR(static_cast<double>(own.value), static_cast<double>(totals.value),
                  static_cast<double>(totals.events))
          << kind;
      if (!totals.has_times) continue;
      EXPECT_NEAR(static_cast<double>(own.first_ns - totals.first_ns), 0, 1) << kind;
      EXPECT_NEAR(static_cast<double>(own.last_ns - totals.last_ns), 0, 2) << kind;
    }
    for (const auto& [kind, totals] : ours.totals) {
      EXPECT_EQ(theirs.count(kind), 1u) << "ours alone: " << kind << ", " << totals.events;
    }
  }
};

// The first JDK in which an option can enable an event.
constexpr int kFirstMajorWithEventOptions = 17;
constexpr int kFirstMajorWithCpuTime = 25;

class FlightRecorderKindsTest : public ForeignKindsTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithEventOptions, FlightRecorderKindsTest);

TEST_P(FlightRecorderKindsTest, AreThoseOfTheJdksReader) {
  std::string option = "-XX:StartFlightRecording=settings=profile,filename=" + Path("jdk.jfr");
  for (const char* event : {"JavaExceptionThrow", "ObjectAllocationInNewTLAB", "FileRead",
                            "ObjectAllocationOutsideTLAB", "ClassLoad"}) {
    option += std::string(",jdk.") + event + "#enabled=true";
  }
  for (const char* event : {"FileRead", "JavaMonitorEnter", "ThreadSleep", "ClassLoad"}) {
    option += std::string(",jdk.") + event + "#threshold=0ms";
  }
  const bool has_cpu_time = jdk().major >= kFirstMajorWithCpuTime;
  if (has_cpu_time) option += ",jdk.CPUTimeSample#enabled=true";
  const ProcessResult run = RunProcess(Java({"EventMix"}, {option}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  std::vector<std::string> kinds = {"cpu",  "alloc", "lock",     "park",
                                    "wait", "sleep", "FileRead", "JavaExceptionThrow"};
  if (has_cpu_time) kinds.push_back("cpu-time");
  ExpectSameKinds("jdk.jfr", kinds);
}

class AsyncProfilerKindsTest : public ForeignKindsTest {
 protected:
  // Records with the async-profiler of `project`, a folder of test/java whose pom names the
  // version.
  void ExpectSameKindsOf(const std::string& project, const std::string& options,
                         const std::vector<std::string>& expected) const {
    const std::string folder = testing::TempDir() + "jprof-" + project;
    if (!FetchFromMaven(project, "unpack-dependencies", folder)) {
      GTEST_SKIP() << "async-profiler cannot be had from Maven Central";
    }
    const ProcessResult run = RunProcess(
        Java({"EventMix"}, {"-agentpath:" + folder + "/linux-x64/libasyncProfiler.so=start," +
                            options + ",jfr,file=" + Path("ap.jfr")}));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    ExpectSameKinds("ap.jfr", expected);
  }
};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrReader, AsyncProfilerKindsTest);

TEST_P(AsyncProfilerKindsTest, AreThoseOfTheJdksReader) {
  ExpectSameKindsOf("async_profiler",
                    "event=ctimer,interval=1ms,wall=20ms,alloc=64k,lock=1us,nativemem=0",
                    {"cpu", "wall", "alloc", "lock"});
}

// The available releases of other profilers crash later JDKs.
std::vector<Jdk> JdksUpTo21() {
  std::vector<Jdk> jdks = JdksFrom(kFirstMajorWithJfrReader);
  std::erase_if(jdks, [](const Jdk& jdk) { return jdk.major > 21; });
  return jdks;
}

class OldAsyncProfilerKindsTest : public AsyncProfilerKindsTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OldAsyncProfilerKindsTest);
INSTANTIATE_TEST_SUITE_P(, OldAsyncProfilerKindsTest, testing::ValuesIn(JdksUpTo21()),
                         testing::PrintToStringParamName());

TEST_P(OldAsyncProfilerKindsTest, OfVersion3AreThoseOfTheJdksReader) {
  ExpectSameKindsOf("async_profiler_3", "event=ctimer,interval=1ms,alloc=64k,lock=1us",
                    {"cpu", "alloc", "lock"});
}

TEST_P(OldAsyncProfilerKindsTest, OfVersion2AreThoseOfTheJdksReader) {
  ExpectSameKindsOf("async_profiler_2", "event=itimer,interval=1ms,alloc=64k,lock=1us",
                    {"cpu", "alloc", "lock"});
}

// The JDK's reader refuses Datadog's recordings, because their pool of strings is empty. JDK
// Mission Control's parser reads them.
class DatadogKindsTest : public ForeignKindsTest {
 protected:
  void SetUp() override {
    if (!FetchFromMaven("ddprof", "unpack-dependencies", Folder("ddprof")) ||
        !FetchFromMaven("jmc", "copy-dependencies", Folder("jmc"))) {
      GTEST_SKIP() << "Datadog's profiler, or JMC's parser, cannot be had from Maven Central";
    }
  }

  static std::string Folder(const std::string& project) {
    return testing::TempDir() + "jprof-" + project;
  }

  TotalsByKind ReadElsewhere(const std::string& name) const override {
    ProcessSpec spec;
    spec.argv = {ReaderOf(jdk()).Tool("java"), "-cp", Folder("jmc") + "/*",
                 JavaSources() + "/jmc/JmcWeights.java", Path(name)};
    const ProcessResult read = RunProcess(spec);
    EXPECT_EQ(read.exit_code, 0) << read.Describe();
    const ProgramOutput printed(read.out);
    const std::map<std::string, std::string> kinds = {{"datadog.ExecutionSample", "cpu"},
                                                      {"datadog.MethodSample", "wall"},
                                                      {"datadog.ObjectSample", "alloc"},
                                                      {"datadog.HeapLiveObject", "live"}};
    TotalsByKind totals;
    for (const auto& [type, kind] : kinds) {
      const auto number = [&](const char* what) { return printed.Integer(what + type); };
      if (number("events.") == 0) continue;
      totals[kind] = {number("events."), number("weight."), number("first."), number("last.")};
      // Objects that are alive at the end of a chunk have no time of their own.
      totals[kind].has_times = kind != "live";
    }
    return totals;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DatadogKindsTest);
INSTANTIATE_TEST_SUITE_P(, DatadogKindsTest, testing::ValuesIn(JdksUpTo21()),
                         testing::PrintToStringParamName());

TEST_P(DatadogKindsTest, AreThoseThatMissionControlReads) {
  const std::string library =
      Folder("ddprof") + "/META-INF/native-libs/linux-x64/libjavaProfiler.so";
  const ProcessResult run = RunProcess(Java(
      {"EventMix"},
      {"-agentpath:" + library + "=start,cpu=1ms,memory=64k:al,jfr,file=" + Path("datadog.jfr")}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectSameKinds("datadog.jfr", {"cpu", "alloc", "live"});
}

}  // namespace
}  // namespace jprof::test
