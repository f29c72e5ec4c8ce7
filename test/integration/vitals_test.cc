// Events about the program other than samples: CPU loads, threads, garbage collections.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

class VitalsTest : public JvmTest {
 protected:
  static std::set<std::string> NamesIn(const Recording& recording, const std::string& type) {
    std::set<std::string> names;
    for (const Event& event : recording.OfType(type)) names.insert(event.Text("thread.javaName"));
    return names;
  }
};
JPROF_ON_EVERY_JDK(VitalsTest);

TEST_P(VitalsTest, ThreadsStartAndEndAndTheProcessorIsLoaded) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,file=" + Path("out.jfr"), {"ShortThreads", "400", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  for (const char* type : {"jdk.ThreadStart", "jdk.ThreadEnd"}) {
    EXPECT_THAT(NamesIn(recording, type), Contains("short-0")) << type;
    EXPECT_THAT(NamesIn(recording, type), Contains("short-100")) << type;
    // The last two threads might end after the recording does.
    EXPECT_GE(NamesIn(recording, type).size(), 398u) << type;
  }
  EXPECT_THAT(NamesIn(recording, "jdk.ThreadStart"), Not(Contains("main")));

  const std::vector<Event> loads = recording.OfType("jdk.CPULoad");
  ASSERT_FALSE(loads.empty());
  for (const Event& load : loads) {
    const double jvm = std::stod(load.Text("jvmUser")) + std::stod(load.Text("jvmSystem"));
    EXPECT_GT(jvm, 0);
    EXPECT_LE(jvm, 1.05);
    EXPECT_GT(std::stod(load.Text("machineTotal")), 0);
    EXPECT_LE(std::stod(load.Text("machineTotal")), 1);
  }
}

TEST_P(VitalsTest, GroupsLoadersAndModifiersAreThere) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,file=" + Path("out.jfr"), {"BusyLoop", "1", "500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const auto samples = SamplesOf(recording, kExecutionSample, "busy-0");
  ASSERT_FALSE(samples.empty());
  for (const Event& sample : samples) {
    EXPECT_EQ(sample.Text("sampledThread.group"), "main");
    EXPECT_EQ(sample.Text("sampledThread.virtual"), "false");
  }
  const auto& methods = recording.methods();
  ASSERT_THAT(methods, Contains(Key("BusyLoop.burnThree")));
  EXPECT_EQ(methods.at("BusyLoop.burnThree").modifiers, "static");
  EXPECT_EQ(methods.at("BusyLoop.burnThree").loader, "app");
  ASSERT_THAT(methods, Contains(Key("BusyLoop.run")));
  EXPECT_EQ(methods.at("BusyLoop.run").modifiers, "public");
  ASSERT_THAT(methods, Contains(Key("java.lang.Thread.run")));
  EXPECT_EQ(methods.at("java.lang.Thread.run").modifiers, "public");
  EXPECT_EQ(methods.at("java.lang.Thread.run").loader, "bootstrap");
}

// A line about a pause in the JVM's log of garbage collections.
struct LoggedPause {
  std::string line;
  double used_mb;  // used heap after the pause

  // True if the line has this cause. When Parallel starts a full collection within a young one, the
  // log has the cause "Ergonomics", whatever the event says.
  bool HasCause(const std::string& cause) const {
    return line.find('(' + cause + ')') != std::string::npos ||
           line.find("(Ergonomics)") != std::string::npos;
  }
};

// Reads lines like "[0.120s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
// 24M->2M(32M) 1.234ms".
std::vector<LoggedPause> ReadGcLog(const std::string& path) {
  const std::regex form(R"(.*GC\(\d+\) Pause .* \d+M->(\d+)M\(\d+M\) [0-9.]+ms)");
  std::vector<LoggedPause> pauses;
  std::ifstream log(path);
  for (std::string line; std::getline(log, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, form)) continue;
    pauses.push_back({line, std::stod(match[1])});
  }
  return pauses;
}

// A pause can have two lines, for a young collection and the full one that follows; then the second
// line has the heap after the pause. The log can have more lines than the recording has events;
// both have the same order.
TEST_P(VitalsTest, CollectorPausesMatchTheJvmsLog) {
  for (const std::string collector : {"Serial", "Parallel", "G1"}) {
    SCOPED_TRACE(collector);
    const std::string name = collector + ".jfr";
    const ProcessResult run = RunProfiled(
        "start,cpu=10ms,file=" + Path(name), {"AllocGc", "300"},
        {"-XX:+Use" + collector + "GC", "-Xmx64m", "-Xlog:gc:file=" + Path(collector + ".log")});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const std::vector<LoggedPause> log = ReadGcLog(Path(collector + ".log"));
    ASSERT_GT(log.size(), 10u);

    const Recording recording = ReadSound(name);
    std::map<int64_t, double> used_mb;
    for (const Event& heap : recording.OfType("jdk.GCHeapSummary")) {
      used_mb[heap.Number("gcId")] = static_cast<double>(heap.Number("heapUsed")) / (1 << 20);
    }
    size_t line = 0;
    size_t found = 0;
    size_t collections = 0;
    for (const Event& pause : recording.OfType("jdk.GarbageCollection")) {
      if (pause.Text("name").find("concurrent") != std::string::npos) continue;
      ++collections;
      const double used = used_mb.at(pause.Number("gcId"));
      const auto is_it = [&](const LoggedPause& logged) {
        return std::abs(logged.used_mb - used) <= 1.01 && logged.HasCause(pause.Text("cause"));
      };
      const auto match = std::find_if(log.begin() + static_cast<ptrdiff_t>(line), log.end(), is_it);
      if (match == log.end()) continue;
      line = static_cast<size_t>(match - log.begin()) + 1;
      ++found;
    }
    EXPECT_EQ(found, collections);
    EXPECT_GE(collections, log.size() / 2);
  }
}

}  // namespace
}  // namespace jprof::test
