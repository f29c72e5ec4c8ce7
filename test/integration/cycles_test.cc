// Two hundred starts and stops in one JVM leave nothing allocated.
#include <iostream>
#include <regex>

#include "integration/cli_fixture.h"
#include "integration/process_footprint.h"

namespace jprof::test {
namespace {

constexpr int kCycles = 200;
constexpr int kWarmUp = 20;
constexpr double kTick = 20e6;

// The counts of a JVM and its process in which a leak would show.
struct Footprint : ProcessFootprint {
  int64_t global_refs = 0;
  int64_t weak_refs = 0;
};

class CyclesTest : public CliTest {
 protected:
  Footprint Measure(pid_t pid) const {
    Footprint footprint{ProcessFootprint::Of(pid)};
    ProcessSpec jcmd;
    jcmd.argv = {jdk().Tool("jcmd"), std::to_string(pid), "Thread.print"};
    const std::string dump = RunProcess(jcmd).out;
    std::smatch refs;
    const std::regex pattern("JNI global refs: (\\d+), weak refs: (\\d+)");
    EXPECT_TRUE(std::regex_search(dump, refs, pattern)) << dump;
    if (refs.size() == 3) {
      footprint.global_refs = std::stoll(refs[1]);
      footprint.weak_refs = std::stoll(refs[2]);
    }
    return footprint;
  }
};
JPROF_ON_EVERY_JDK(CyclesTest);

TEST_P(CyclesTest, TwoHundredStartsAndStopsLeakNothing) {
  ProcessSpec spec = Java({"Server", "1", "2"});
  spec.timeout = std::chrono::seconds(170);
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  Footprint before;
  for (int i = 0; i < kCycles; ++i) {
    if (i == kWarmUp) before = Measure(pid);
    const ProcessResult start = JprofOn(pid, {"start", "-e", "cpu,wall", "-o", "out.jfr"});
    ASSERT_EQ(start.exit_code, 0) << i << start.Describe();
    server.value().AwaitCpu(kTick);
    const ProcessResult stop = JprofOn(pid, {"stop"});
    ASSERT_EQ(stop.exit_code, 0) << i << stop.Describe();
  }
  const Footprint after = Measure(pid);
  // A leak of one resource per cycle would show as 180. The JVM's own compiler threads come and go.
  constexpr int64_t kOwnNoise = 20;
  EXPECT_LE(after.threads, before.threads + kOwnNoise);
  EXPECT_LE(after.files, before.files + kOwnNoise);
  EXPECT_LE(after.mappings, before.mappings + kOwnNoise);
  EXPECT_LE(after.global_refs, before.global_refs + kOwnNoise);
  EXPECT_LE(after.weak_refs, before.weak_refs + kOwnNoise);
  EXPECT_LE(after.resident_kb, before.resident_kb + 32 * 1024);
  RecordProperty("resident_kb_before", static_cast<int>(before.resident_kb));
  RecordProperty("resident_kb_after", static_cast<int>(after.resident_kb));
  std::cout << "threads " << before.threads << " -> " << after.threads << ", files " << before.files
            << " -> " << after.files << ", mappings " << before.mappings << " -> " << after.mappings
            << ", RSS " << before.resident_kb << " -> " << after.resident_kb << " kB, global refs "
            << before.global_refs << " -> " << after.global_refs << ", weak refs "
            << before.weak_refs << " -> " << after.weak_refs << "\n";
  ReadSound("out.jfr");
}

}  // namespace
}  // namespace jprof::test
