// The test engine (engines/tick): samples of bytes with a class, taken on the allocating thread.
#include <cmath>
#include <map>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kTick[] = "profiler.Tick";
constexpr double kInterval = 128 << 10;
constexpr int kSmall = 10'000'000;
constexpr int kArrays = 40'000;

// What an estimate of `count` objects, `bytes` in all, may be off by: five standard deviations (of
// a draw for each object), the first gap of a thread, which may be of the JVM's own interval, and a
// hundredth, by which the JVM's draws are off.
double Tolerance(double count, double bytes) {
  const double size = bytes / count;
  const double p = -std::expm1(-size / kInterval);
  return 5 * size * std::sqrt(count * (1 - p) / p) + 8 * 512 * 1024 + bytes / 100;
}

class TickTest : public JvmTest {
 protected:
  static std::string Workload(int objects) { return std::to_string(objects); }
};
// The JVM's event came with JDK 11.
JPROF_ON_JDKS_FROM(11, TickTest);

TEST_P(TickTest, BytesOfEachClassAreWhatTheProgramAllocatedWhileSignalsArrive) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,wall=5ms,tick=128k,file=" + Path("out.jfr"),
                                        {"Allocations", Workload(kSmall), Workload(kArrays)});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");

  std::map<std::string, double> bytes;
  std::map<std::string, int> in_place;
  const std::map<std::string, std::string> places = {{"Allocations$Small", "Allocations.makeSmall"},
                                                     {"[D", "Allocations.makeArrays"}};
  int samples = 0;
  for (const Event& tick : recording.OfType(kTick)) {
    const std::string name = tick.Text("objectClass");
    bytes[name] += static_cast<double>(tick.Number("weight"));
    const auto place = places.find(name);
    if (place == places.end()) continue;
    ++samples;
    EXPECT_EQ(tick.Text("eventThread.javaName"), "main");
    in_place[name] += !tick.frames.empty() && tick.frames.front().method == place->second ? 1 : 0;
  }
  const auto small = static_cast<double>(truth.Number("small"));
  const auto arrays = static_cast<double>(truth.Number("arrays"));
  EXPECT_NEAR(bytes["Allocations$Small"], small, Tolerance(kSmall, small));
  EXPECT_NEAR(bytes["[D"], arrays, Tolerance(kArrays, arrays));
  EXPECT_GE(in_place["Allocations$Small"] + in_place["[D"], samples * 99 / 100) << samples;

  // The parts of the recording, and its account of itself.
  EXPECT_GT(recording.Count(kExecutionSample), 0);
  EXPECT_GT(recording.Count(kWallClockSample), 0);
  const std::string total = std::to_string(recording.Sum(kTick, "weight")) + " bytes of tick";
  EXPECT_THAT(run.err, HasSubstr(total));
  for (const Event& count : recording.OfType("profiler.SampleCount")) {
    if (count.Text("kind") != "tick") continue;
    EXPECT_EQ(count.Text("outcome"), "recorded");
  }
}

// From JDK 24 on the VM tells in callbacks too which virtual thread a carrier runs (JEP 491).
constexpr int kFirstMajorWithOwnerIds = 24;
class TickInVirtualThreadsTest : public TickTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOwnerIds, TickInVirtualThreadsTest);

TEST_P(TickInVirtualThreadsTest, BytesCarryTheAllocatingVirtualThreadAndNeverItsCarrier) {
  constexpr int kThreads = 4;
  constexpr int kObjects = 3'000'000;
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,wall=5ms,tick=128k,file=" + Path("out.jfr"),
                  {"Allocations", Workload(kObjects), Workload(0), Workload(kThreads)});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const auto small = static_cast<double>(truth.Number("small"));
  const auto ids = truth.NumbersOf("virtual.");
  ASSERT_EQ(ids.size(), size_t{kThreads});
  const Recording recording = ReadSound("out.jfr");

  std::map<std::string, double> bytes;  // by id; of main under its name
  int samples = 0;
  int whole = 0;
  for (const Event& tick : recording.OfType(kTick)) {
    if (tick.Text("objectClass") != "Allocations$Small") continue;
    const bool is_main = tick.Text("eventThread.javaName") == "main";
    const std::string id = std::to_string(tick.Number("eventThread.javaThreadId"));
    bytes[is_main ? "main" : id] += static_cast<double>(tick.Number("weight"));
    if (is_main) continue;
    EXPECT_TRUE(ids.contains(id)) << tick.Text("eventThread.osName");
    EXPECT_EQ(tick.Text("eventThread.group"), "VirtualThreads");
    ++samples;
    whole += !tick.frames.empty() && tick.frames.front().method == "Allocations.makeSmall" &&
                     tick.frames.back().method == "jdk.internal.vm.Continuation.enter"
                 ? 1
                 : 0;
  }
  EXPECT_NEAR(bytes["main"], small, Tolerance(kObjects, small));
  for (const auto& [id, number] : ids) {
    EXPECT_NEAR(bytes[id], small, Tolerance(kObjects, small)) << "virtual thread " << number;
  }
  EXPECT_EQ(bytes.size(), size_t{kThreads + 1}) << "main and the virtual threads";
  EXPECT_GE(whole, samples * 99 / 100) << samples;
}

TEST_P(TickTest, AnEngineThatCannotStartLeavesTheProgramUnprofiledAndUnharmed) {
  const ProcessResult run = RunProfiled("start,cpu=10ms,tick=1g,file=" + Path("out.jfr"),
                                        {"Allocations", Workload(1000), Workload(10)});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_GT(ProgramOutput(run.out).Number("small"), 0);
  EXPECT_EQ(run.err,
            "[jprof] error: cannot start: tick=1g asks for a start that fails; the program runs "
            "unprofiled\n");
  EXPECT_THAT(FilesInFolder(), testing::IsEmpty());
}

TEST_P(TickTest, ToolsOfTheJdkPrintTheRecording) {
  const ProcessResult run = RunProfiled("start,tick=64k,file=" + Path("out.jfr"),
                                        {"Allocations", Workload(100'000), Workload(10)});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ProcessSpec print;
  print.argv = {jdk().Tool("jfr"), "print", "--events", kTick, Path("out.jfr")};
  const ProcessResult printed = RunProcess(print);
  EXPECT_EQ(printed.exit_code, 0) << printed.Describe();
  EXPECT_THAT(printed.out, HasSubstr("objectClass = Allocations$Small"));
  EXPECT_THAT(printed.out, HasSubstr("weight = 64.0 kB"));
}

}  // namespace
}  // namespace jprof::test
