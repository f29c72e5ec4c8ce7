// `wall` samples virtual threads while they wait, although they have no carrier then.
#include <chrono>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

constexpr double kIntervalNs = 5 * kMilli;
constexpr char kOptions[] = "start,event=wall,wall=5ms";

// The state that a sample of a wait in the method VirtualWaits.WAY has.
const std::map<std::string, std::string> kStates = {{"parked", "STATE_PARKED"},
                                                    {"locked", "STATE_PARKED"},
                                                    {"held", "STATE_PARKED"},
                                                    {"sleeping", "STATE_SLEEPING"},
                                                    {"notified", "STATE_IN_OBJECT_WAIT"},
                                                    {"blocked", "STATE_BLOCKED_ON_MONITOR_ENTER"}};

// The samples of virtual threads in a recording of VirtualWaits.
class WaitSums {
 public:
  explicit WaitSums(const Recording& recording) {
    for (const Event& event : recording.events()) {
      if (event.type == kWallClockSample && IsVirtual(event)) Add(event);
    }
  }

  double NanosIn(const std::string& way) const {
    const auto found = samples_.find(way);
    return found == samples_.end() ? 0 : found->second * kIntervalNs;
  }
  // Returns the share of the waiting time whose stack is that of the way of its state.
  double ShareWithRightStack() const { return right_ / waiting_; }

 private:
  void Add(const Event& event) {
    const auto samples = static_cast<double>(event.Number("samples"));
    const std::string state = event.Text("state");
    std::string found;
    for (const auto& [way, state_of_way] : kStates) {
      if (!event.HasFrame("VirtualWaits." + way)) continue;
      samples_[way] += samples;
      // The thread that holds a monitor parks.
      const bool is_holder = way == "blocked" && state == "STATE_PARKED";
      if (state == state_of_way || is_holder) found = way;
    }
    if (state == "STATE_RUNNABLE" || state == "STATE_WAITING_FOR_CPU") return;
    waiting_ += samples;
    if (!found.empty()) right_ += samples;
  }

  std::map<std::string, double> samples_;
  double waiting_ = 0;
  double right_ = 0;
};

class VirtualWaitsTest : public CliTest {
 protected:
  // Before JDK 24 a virtual thread that waits for a monitor keeps its carrier.
  std::vector<std::string> Ways() const {
    if (jdk().major < 24) return {"parked", "sleeping", "locked"};
    return {"parked", "sleeping", "locked", "blocked", "notified"};
  }

  // Runs `threads` threads for each way. Fails the test unless the thread-seconds of each way and
  // of `held` are right. All threads start together, so the errors of their samples, of at most an
  // interval for each thread, do not cancel out.
  void ExpectTruth(const std::string& options, int threads, const std::string& hold,
                   const std::vector<std::string>& jvm_arguments = {}) {
    std::string ways;
    for (const std::string& way : Ways()) ways += (ways.empty() ? "" : ",") + way;
    std::vector<std::string> program = {"VirtualWaits", ways, std::to_string(threads), "10", "150"};
    if (!hold.empty()) program.push_back(hold);
    const ProcessResult run =
        RunProfiled(kOptions + options + ",file=" + Path("out.jfr"), program, jvm_arguments);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const WaitSums sums(ReadSound("out.jfr"));
    const ProgramOutput truth(run.out);
    std::vector<std::string> rows = Ways();
    if (!hold.empty()) rows.push_back("held");
    for (const std::string& row : rows) {
      const double ns = truth.Number(row);
      const double of_threads = threads * (row == "held" ? static_cast<double>(Ways().size()) : 1);
      EXPECT_NEAR(sums.NanosIn(row), ns, ns / 50 + of_threads * kIntervalNs) << row;
    }
    EXPECT_GE(sums.ShareWithRightStack(), 0.999);
    EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
  }
};
JPROF_ON_JDKS_FROM(21, VirtualWaitsTest);

TEST_P(VirtualWaitsTest, ThreadSecondsAndStacksAreThoseOfTheProgram) { ExpectTruth("", 2000, ""); }

// ZGC keeps the frames of a virtual thread in the heap longer than other collectors, and moves them
// while the program runs.
TEST_P(VirtualWaitsTest, StacksAreRightWithZgc) { ExpectTruth("", 1000, "", {"-XX:+UseZGC"}); }

TEST_P(VirtualWaitsTest, LockBesideWallCountsNoWaitTwice) { ExpectTruth(",lock=10ms", 1000, ""); }

TEST_P(VirtualWaitsTest, WaitsThatGoOnAtTheEndOfAChunkAndAtTheStopAreCounted) {
  ExpectTruth(",chunktime=1s", 1000, "2500");
}

// A thread that keeps its carrier while it waits gets samples by signals. Before JDK 24 they name
// the carrier, so the virtual thread also has the samples of its wait.
TEST_P(VirtualWaitsTest, AWaitOnACarrierCountsOnceForTheVirtualThread) {
  const ProcessResult run =
      RunProfiled(std::string(kOptions) + ",file=" + Path("out.jfr"), {"PinnedWaits"},
                  {"-Djdk.virtualThreadScheduler.parallelism=4"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");
  std::map<std::string, double> recorded;
  for (const Event& event : recording.events()) {
    if (event.type != kWallClockSample || !IsVirtual(event)) continue;
    for (const std::string name : {"Parked", "Sleeping", "Notified"}) {
      if (!event.HasFrame("PinnedWaits$" + name + ".<clinit>")) continue;
      recorded[name] += static_cast<double>(event.Number("samples")) * kIntervalNs;
    }
  }
  EXPECT_THAT(recorded["Parked"], IsWithin(0.2, truth.Number("parked")));
  EXPECT_THAT(recorded["Sleeping"], IsWithin(0.2, truth.Number("sleeping")));
  EXPECT_THAT(recorded["Notified"], IsWithin(0.2, truth.Number("notified")));
}

// All threads are parked when the recording starts, and stay so.
TEST_P(VirtualWaitsTest, WaitsThatBeganBeforeTheStartCountFromTheStartOn) {
  constexpr int kHolders = 2000;
  auto started = RunningProcess::Start(
      Java({"VirtualWaits", "sleeping", std::to_string(kHolders), "1", "10", "100000"}));
  ASSERT_TRUE(started.ok()) << started.error().message();
  RunningProcess& program = started.value();
  ASSERT_TRUE(program.WaitForLine("all threads hold").ok());
  using Clock = std::chrono::steady_clock;
  const auto nanos = [](Clock::duration time) {
    return static_cast<double>(std::chrono::nanoseconds(time).count());
  };
  const Clock::time_point before_start = Clock::now();
  const ProcessResult start =
      JprofOn(program.pid(), {"start", "-e", "wall", "--wall", "5ms", "-o", Path("out.jfr")});
  ASSERT_EQ(start.exit_code, 0) << start.Describe();
  const Clock::time_point after_start = Clock::now();
  EXPECT_EQ(JprofOn(program.pid(), {"status"}).out.find("virtual threads that wait"),
            std::string::npos);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Clock::time_point before_stop = Clock::now();
  ASSERT_EQ(JprofOn(program.pid(), {"stop"}).exit_code, 0);
  const Clock::time_point after_stop = Clock::now();
  program.SendSignal(SIGKILL);
  const WaitSums sums(ReadSound("out.jfr"));
  EXPECT_GE(sums.NanosIn("held"), kHolders * (nanos(before_stop - after_start) - kIntervalNs));
  EXPECT_LE(sums.NanosIn("held"), kHolders * (nanos(after_stop - before_start) + kIntervalNs));
  EXPECT_GE(sums.ShareWithRightStack(), 0.999);
}

}  // namespace
}  // namespace jprof::test
