// view states: for each thread, the times in all states add up to its lifetime, and each time is as
// long as the thread measured.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "views/json_rows.h"

namespace jprof::test {
namespace {

struct Figure {
  double ns = 0;
  double error_ns = 0;

  double Tolerance(double truth_ns) const { return truth_ns / 50 + 4 * error_ns; }
};

constexpr const char* kWaits[] = {"blocked", "waiting", "parked", "sleeping", "io"};

using Life = std::map<std::string, Figure>;  // by state, and "lifetime" for their sum

class StatesTest : public CliTest {
 protected:
  // Returns the names, as the kernel cuts them off, of some threads of the collector. JDK 17 and 25
  // have these threads, which end before the JVM reports its own end.
  std::vector<const char*> ConcurrentThreads(const std::string& collector) const {
    if (collector == "G1") return {"G1 Main Marker", "G1 Service"};
    if (collector == "Shenandoah") return {jdk().major < 27 ? "Shenandoah Cont" : "ShenControl"};
    // In JDK 21 to 23 ZGC without generations has its own thread names.
    return {jdk().major >= 21 && jdk().major < 24 ? "XDirector" : "ZDirector"};
  }

  std::map<std::string, Life> Lives(const std::string& file) const {
    const ProcessResult view = Jprof({"view", "states", "--json", "--limit", "0", file});
    EXPECT_EQ(view.exit_code, 0) << view.Describe();
    std::map<std::string, Life> lives;
    for (const JsonRow& row : JsonRows(view.out)) {
      Life& life = lives[row.at("thread")];
      const double ns = std::stod(row.at("time"));
      const bool is_new =
          life.emplace(row.at("state"), Figure{ns, std::stod(row.at("timeError"))}).second;
      if (!is_new) life["twice"] = {};  // several threads of one name
      life["lifetime"].ns = std::stod(row.at("lifetime"));
    }
    return lives;
  }
};
JPROF_ON_EVERY_JDK(StatesTest);

double SumOf(const Life& life) {
  double sum = 0;
  for (const auto& [state, figure] : life) sum += state == "lifetime" ? 0 : figure.ns;
  return sum;
}

// All waits are shorter than the threshold of lock=: few of them have events, but the sums are
// exact.
TEST_P(StatesTest, EachIsAsLongAsTheThreadsMeasuredAndTheyAddUp) {
  if (jdk().major == 8) GTEST_SKIP() << "JDK 8 does not export for what a thread waits";
  constexpr int kThreads = 4;
  const ProcessResult run = RunProfiled("start,wall=1ms,lock=1s,file=" + Path("out.jfr"),
                                        {"States", std::to_string(kThreads), "6"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  ReadSound("out.jfr");
  auto lives = Lives("out.jfr");
  for (int i = 0; i < kThreads; ++i) {
    const std::string name = "states-" + std::to_string(i);
    ASSERT_EQ(lives.count(name), 1U) << run.Describe();
    Life& life = lives[name];
    // The thread does not measure its time before, between and after the states.
    double rest_ns = life["lifetime"].ns - truth.Number(name + ".computing");
    for (const char* state : kWaits) rest_ns -= truth.Number(name + '.' + state);
    EXPECT_LE(rest_ns, life["lifetime"].ns / 10) << name;
    // After a wait, a thread can queue for a processor before it reads its clock.
    const auto expect = [&](const std::string& state, double truth_ns, double queued_ns) {
      const double tolerance_ns = life[state].Tolerance(truth_ns);
      EXPECT_LE(life[state].ns, truth_ns + tolerance_ns + std::max(rest_ns, 0.0))
          << name << ' ' << state;
      EXPECT_GE(life[state].ns, truth_ns - queued_ns - tolerance_ns) << name << ' ' << state;
    };
    double queued_ns = 0;
    for (const std::string state : kWaits) {
      const double queued_in_ns = truth.Number(name + ".queued." + state);
      expect(state, truth.Number(name + '.' + state), queued_in_ns);
      queued_ns += queued_in_ns;
    }
    expect("cpu", truth.Number(name + ".cpu"), 0);
    // The queueing after waits is recorded either as runnable or as part of the waits.
    const double runnable_ns = truth.Number(name + ".computing") - truth.Number(name + ".computed");
    expect("runnable", runnable_ns + queued_ns, queued_ns);
    for (const char* state : {"cpu", "blocked", "waiting"}) EXPECT_EQ(life[state].error_ns, 0);
    EXPECT_GT(life["sleeping"].error_ns, 0);
  }
  for (auto& [name, life] : lives) {
    if (life.count("twice") != 0) continue;
    EXPECT_EQ(SumOf(life), life["lifetime"].ns) << name;
    const Figure rest = life["unattributed"];
    EXPECT_GE(rest.ns, 0) << name;
    // Up to half an interval is unknown at both ends, and threads can start and end within one
    // interval.
    EXPECT_LE(rest.ns, life["lifetime"].ns / 100 + 4 * rest.error_ns + 4e6) << name;
  }
  Life& all = lives["[all threads]"];
  EXPECT_LE(all["unattributed"].ns, all["lifetime"].ns / 100 + 4 * all["unattributed"].error_ns);
}

// Sums over all safepoints in a log of the JVM (-Xlog:safepoint).
struct Safepoints {
  double stopped_ns = 0;
  double total_ns = 0;  // includes the time until the threads stopped and until they were released

  explicit Safepoints(const std::string& path) {
    std::ifstream log(path);
    for (std::string line; std::getline(log, line);) {
      stopped_ns += Number(line, "At safepoint: ");
      total_ns += Number(line, "Total: ");
    }
  }

 private:
  static double Number(const std::string& line, const std::string& name) {
    const size_t at = line.find(name);
    return at == std::string::npos ? 0 : std::stod(line.substr(at + name.size()));
  }
};

TEST_P(StatesTest, AThreadStandsInSafepointsAsLongAsTheJvmLogs) {
  if (jdk().major < 17) GTEST_SKIP() << "the log of safepoints has no such lines before JDK 17";
  const ProcessResult run = RunProfiled(
      "start,wall=2ms,file=" + Path("out.jfr"), {"StoppedThread", "20"},
      {"-XX:+UseSerialGC", "-Xmx256m", "-Xlog:safepoint:file=" + Path("safepoints.log")});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Safepoints truth(Path("safepoints.log"));
  ASSERT_GT(truth.stopped_ns, 100e6);
  const Figure safepoint = Lives("out.jfr")["busy"]["safepoint"];
  const double tolerance_ns = safepoint.Tolerance(truth.stopped_ns);
  const double queued_ns = ProgramOutput(run.out).Number("queued.busy");
  // The thread might queue for a processor twice: to run the handler of a sample, and when it is
  // released from the safepoint.
  EXPECT_GE(safepoint.ns, truth.stopped_ns - queued_ns - tolerance_ns);
  EXPECT_LE(safepoint.ns, truth.total_ns + queued_ns + tolerance_ns);
}

// However many threads there are, each is in the recording until it ends.
TEST_P(StatesTest, ThreadsThatEndHaveTheirCpuTime) {
  const ProcessResult run =
      RunProfiled("start,wall=20ms,file=" + Path("out.jfr"), {"BusyLoop", "3", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  auto lives = Lives("out.jfr");
  for (const std::string name : {"busy-0", "busy-1", "busy-2"}) {
    const double cpu_ns = truth.Number("cpu." + name);
    EXPECT_GE(lives[name]["cpu"].ns, 0.98 * cpu_ns) << name;
    EXPECT_LE(lives[name]["cpu"].ns, 1.02 * cpu_ns + kPrintingNs) << name;
    EXPECT_GE(lives[name]["lifetime"].ns, truth.Number("wall." + name)) << name;
  }
}

// The engine for states starts last, after probes have been installed, which takes time. The CPU
// samples must not contain this time either.
TEST_P(StatesTest, CpuSamplesOfALateStartAddUpToTheCpuTimeOfTheirThreads) {
  const ProcessResult run =
      RunProcess(Java({"LateLock", AgentLibrary(), NativeLibraryFolder(),
                       "start,cpu=1ms,lock=10ms,file=" + Path("out.jfr"), "1000"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ASSERT_THAT(run.out, testing::HasSubstr("answer.start=recording")) << run.Describe();
  const auto samples =
      NanosByThread(ReadSound("out.jfr"), kExecutionSample, std::chrono::milliseconds(1));
  auto lives = Lives("out.jfr");
  for (const std::string name : {"busy-0", "busy-1"}) {
    const double cpu_ns = lives[name]["cpu"].ns;
    EXPECT_GE(cpu_ns, 100e6) << name;
    // While the engines start or stop one after the other, the thread that does this can lose its
    // processor.
    EXPECT_LE(samples.at(name), cpu_ns + 60e6) << name;
    EXPECT_GE(samples.at(name), cpu_ns - 60e6) << name;
  }
}

// The JVM announces neither the concurrent threads of a collector nor their end, which comes before
// its own.
TEST_P(StatesTest, ThreadsOfCollectorsThatEndBeforeTheJvmHaveLifetimes) {
  if (jdk().major < 15) GTEST_SKIP() << "ZGC and Shenandoah are no experiments from JDK 15 on";
  for (const std::string collector : {"G1", "Z", "Shenandoah"}) {
    const ProcessResult run =
        RunProfiled("start,cpu=2ms,wall=10ms,file=" + Path("out.jfr"), {"AllocGc", "1000"},
                    {"-Xmx300m", "-XX:+Use" + collector + "GC"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const auto samples =
        NanosByThread(ReadSound("out.jfr"), kExecutionSample, std::chrono::milliseconds(2));
    auto lives = Lives("out.jfr");
    const double longest_ns = lives["allocator"]["lifetime"].ns;
    ASSERT_GT(longest_ns, 0);
    for (const char* name : ConcurrentThreads(collector)) {
      ASSERT_EQ(lives.count(name), 1U) << collector << ' ' << name;
      EXPECT_GT(lives[name]["lifetime"].ns, longest_ns / 2) << collector << ' ' << name;
    }
    for (const auto& [name, ns] : samples) {
      EXPECT_EQ(lives.count(name), 1U)
          << collector << ' ' << name << ", " << ns << " ns of samples";
    }
  }
}

// Since JDK 24 a virtual thread leaves its carrier while it waits for a monitor (JEP 491).
class VirtualStatesTest : public StatesTest {};
JPROF_ON_JDKS_FROM(24, VirtualStatesTest);

TEST_P(VirtualStatesTest, VirtualThreadsAddUpToWhatTheyMeasured) {
  const ProcessResult run = RunProfiled("start,wall=5ms,lock=10ms,file=" + Path("out.jfr"),
                                        {"VirtualStates", "2000", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  ReadSound("out.jfr");
  Life life = Lives("out.jfr")["[virtual threads]"];
  const double lifetime_ns = truth.Number("lifetime");
  EXPECT_NEAR(life["lifetime"].ns, lifetime_ns, lifetime_ns / 50);
  for (const std::string state : {"blocked", "waiting", "parked", "sleeping"}) {
    const double state_ns = truth.Number(state);
    EXPECT_NEAR(life[state].ns, state_ns, life[state].Tolerance(state_ns)) << state;
  }
  // The time on a carrier, and the time until the thread gets its first one.
  const double running_ns = truth.Number("computing") + truth.Number("starting");
  const Figure running = {life["cpu"].ns + life["runnable"].ns,
                          std::hypot(life["cpu"].error_ns, life["runnable"].error_ns)};
  EXPECT_NEAR(running.ns, running_ns, running.Tolerance(running_ns) + lifetime_ns / 100);
  EXPECT_EQ(SumOf(life), life["lifetime"].ns);
  EXPECT_LE(life["unattributed"].ns, lifetime_ns / 100 + 4 * life["unattributed"].error_ns);
}

TEST_P(VirtualStatesTest, WallAloneEstimatesTheStatesOfVirtualThreads) {
  constexpr int kThreads = 2000;
  const ProcessResult run = RunProfiled("start,wall=5ms,file=" + Path("out.jfr"),
                                        {"VirtualStates", std::to_string(kThreads), "3"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  ReadSound("out.jfr");
  Life life = Lives("out.jfr")["[virtual threads]"];
  EXPECT_EQ(life["lifetime"].ns, 0);
  for (const std::string state : {"blocked", "waiting", "parked", "sleeping"}) {
    const double state_ns = truth.Number(state);
    // The threads start together, so the errors of their first and last samples do not cancel out.
    EXPECT_NEAR(life[state].ns, state_ns, life[state].Tolerance(state_ns) + kThreads * 5 * kMilli)
        << state;
  }
}

}  // namespace
}  // namespace jprof::test
