// What the recording says of the program besides samples: loads, threads, garbage collections.
#include <fstream>
#include <regex>
#include <set>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::Contains;
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
      RunProfiled("start,cpu=10ms,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  for (const char* type : {"jdk.ThreadStart", "jdk.ThreadEnd"}) {
    EXPECT_THAT(NamesIn(recording, type), Contains("busy-0")) << type;
    EXPECT_THAT(NamesIn(recording, type), Contains("busy-1")) << type;
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
  const auto samples = SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0");
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples[0].Text("sampledThread.group"), "main");
  EXPECT_EQ(samples[0].Text("sampledThread.virtual"), "false");
}

// The log of the JVM is the truth: "[0.120s][info][gc] GC(0) Pause Young (Normal) (cause)
// 24M->2M(32M) 1.234ms".
TEST_P(VitalsTest, PausesOfTheCollectorAreThoseOfTheJvmsLog) {
  for (const std::string collector : {"Serial", "Parallel", "G1"}) {
    SCOPED_TRACE(collector);
    const std::string name = collector + ".jfr";
    const ProcessResult run =
        RunProfiled("start,cpu=10ms,file=" + Path(name), {"AllocGc", "1500"},
                    {"-XX:+Use" + collector + "GC", "-Xmx64m",
                     "-Xlog:gc:file=" + Path(collector + ".log") + "::filecount=0"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    std::ifstream log(Path(collector + ".log"));
    const std::regex pause(R"(.* Pause (\S+).* \((.*)\) \d+M->(\d+)M\((\d+)M\) ([0-9.]+)ms)");
    std::vector<std::smatch> truth;
    std::vector<std::string> lines;
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    for (const std::string& line : lines) {
      std::smatch match;
      if (std::regex_match(line, match, pause) && match[1] != "Remark" && match[1] != "Cleanup") {
        truth.push_back(match);
      }
    }
    ASSERT_GT(truth.size(), 3u);

    const Recording recording = ReadSound(name);
    std::map<int64_t, Event> heaps;
    for (const Event& heap : recording.OfType("jdk.GCHeapSummary")) {
      heaps.emplace(heap.Number("gcId"), heap);
    }
    std::vector<Event> collections;
    for (const Event& event : recording.OfType("jdk.GarbageCollection")) {
      if (event.Text("name").find("concurrent") == std::string::npos) collections.push_back(event);
    }
    // The program's last collections may come after the recording.
    ASSERT_GE(collections.size() + 3, truth.size());
    ASSERT_LE(collections.size(), truth.size());
    for (size_t i = 0; i < collections.size(); ++i) {
      const double used_mb = std::stod(truth[i][3].str());
      const Event& heap = heaps.at(collections[i].Number("gcId"));
      EXPECT_NEAR(static_cast<double>(heap.Number("heapUsed")) / (1 << 20), used_mb, 1.01) << i;
      EXPECT_LE(static_cast<double>(collections[i].Number("duration")),
                1e6 * std::stod(truth[i][5].str()) * 3 + 20e6)
          << i;
    }
    EXPECT_EQ(collections[0].Text("cause"), truth[0][2].str());
  }
}

}  // namespace
}  // namespace jprof::test
