// Signals that do not arrive because a thread blocks them, or because the user has reached a limit.
// The recording has all the time that the program knows of its threads, as sampled or as lost.
#include <unistd.h>

#include <filesystem>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

constexpr char kLostFrame[] = "jprof.[lost: no signal reached the thread]";
// The longest time that may be missing at the end of a thread: eight intervals, the watcher's 100
// ms, and delays of a busy machine. The JVM unblocks the signals of a thread that is ending
// (jdk-17+35 src/hotspot/os/linux/os_linux.cpp, os::free_thread).
constexpr double kSinceLook = 300 * kMilli;

class SignalLimitsTest : public JvmTest {
 protected:
  // The nanoseconds of one thread that are sampled and lost.
  struct Time {
    double sampled = 0;
    double lost = 0;
    double in_no_state = 0;  // sampled time in an unknown state, added to a stack seen before
    double all() const { return sampled + lost; }
  };

  static Time TimeOf(const Recording& recording, const std::string& type, const std::string& thread,
                     milliseconds interval) {
    Time time;
    for (const Event& event : SamplesOf(recording, type, thread)) {
      const double intervals =
          type == kExecutionSample ? 1 : static_cast<double>(event.Number("samples"));
      const double nanos = intervals * kMilli * static_cast<double>(interval.count());
      const bool lost = !event.frames.empty() && event.frames[0].method == kLostFrame;
      (lost ? time.lost : time.sampled) += nanos;
      if (!lost && event.Text("state") == "STATE_UNKNOWN") time.in_no_state += nanos;
    }
    return time;
  }

  // Runs the program under a limit. The kernel counts queued signals per user. As root, the test
  // runs the program as a user without other processes, so that only the JVM's own threads count.
  ProcessResult RunUnder(const std::string& limit, const std::string& options,
                         const std::vector<std::string>& program) const {
    ProcessSpec spec = Java(program, {AgentArgument(options)});
    std::vector<std::string> wrapper = {"/usr/bin/prlimit", limit};
    if (geteuid() == 0) {
      const std::string user = std::to_string(50'000 + getpid() % 10'000);
      wrapper.insert(wrapper.begin(),
                     {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"});
      std::filesystem::permissions(folder(), std::filesystem::perms::all);
    }
    spec.argv.insert(spec.argv.begin(), wrapper.begin(), wrapper.end());
    return RunProcess(spec);
  }
};
JPROF_ON_EVERY_JDK(SignalLimitsTest);

TEST_P(SignalLimitsTest, CountsTheTimeOfBlockedSignalsAsLost) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,wall=10ms,file=" + Path("out.jfr"), {"BlockedSignals", "600"},
                  {"-Djava.library.path=" + NativeLibraryFolder()});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const ProgramOutput truth(run.out);
  const auto cpu = [&](const std::string& name) {
    return TimeOf(recording, kExecutionSample, name, milliseconds(10));
  };
  const auto wall = [&](const std::string& name) {
    return TimeOf(recording, kWallClockSample, name, milliseconds(10));
  };
  EXPECT_THAT(cpu("java-blocked").all(), IsWithin(0.05, truth.Number("cpu.java-blocked")));
  EXPECT_GE(cpu("java-blocked").sampled, truth.Number("listening.cpu") - 20 * kMilli);
  EXPECT_LE(cpu("java-blocked").sampled, truth.Number("listening.cpu") + kSinceLook);
  EXPECT_THAT(wall("java-blocked").all(), IsWithin(0.05, truth.Number("wall.java-blocked")));
  EXPECT_LE(wall("java-blocked").sampled, truth.Number("listening.wall") + kSinceLook);
  // The profiler is not notified when this thread starts and ends.
  EXPECT_GE(cpu("native-blocked").lost, truth.Number("cpu.native-blocked") - kSinceLook);
  EXPECT_LE(cpu("native-blocked").lost, truth.Number("cpu.native-blocked") + 20 * kMilli);
  EXPECT_EQ(cpu("native-blocked").sampled, 0);
  EXPECT_THAT(wall("native-blocked").lost, IsWithin(0.2, truth.Number("wall.native-blocked")));
  EXPECT_EQ(wall("native-blocked").sampled, 0);
}

// Each limit is set by `prlimit`.
TEST_P(SignalLimitsTest, RecordsTimeOrLossUnderAResourceLimit) {
  for (const std::string limit : {"--sigpending=12", "--nofile=64", "--memlock=65536"}) {
    const ProcessResult run = RunUnder(limit, "start,cpu=10ms,wall=10ms,file=" + Path("out.jfr"),
                                       {"BusyLoop", "4", "200", "400"});
    ASSERT_EQ(run.exit_code, 0) << limit << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    const ProgramOutput truth(run.out);
    for (int i = 0; i < 4; ++i) {
      const std::string name = "busy-" + std::to_string(i);
      const Time cpu = TimeOf(recording, kExecutionSample, name, milliseconds(10));
      const Time wall = TimeOf(recording, kWallClockSample, name, milliseconds(10));
      EXPECT_THAT(cpu.all(), IsWithin(0.1, truth.Number("cpu." + name))) << limit << " " << name;
      EXPECT_GE(wall.all(), 0.9 * truth.Number("wall." + name)) << limit << " " << name;
      EXPECT_LE(wall.all(), 1.1 * truth.Number("life." + name)) << limit << " " << name;
      EXPECT_LT(wall.lost + wall.in_no_state, wall.all() / 2) << limit << ": signals arrive";
    }
  }
}

}  // namespace
}  // namespace jprof::test
