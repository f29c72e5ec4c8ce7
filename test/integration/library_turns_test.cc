// Native libraries of which something is gone when their names are written: each sample has the
// names of the library that ran, whatever has come to its address, and whatever has become of its
// file. The JVM has no privilege, as the JVMs of most users.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kRounds = 6;
constexpr int kMillis = 50;
constexpr double kIntervalNs = 5e6;

class LibraryTurnsTest : public JvmTest {
 protected:
  ProcessSpec Program(const std::string& options, int rounds, int millis) const {
    return Java({"LibraryTurns", AgentLibrary(), "start," + options + ",file=" + Path("out.jfr"),
                 NativeLibraryFolder(), folder(), std::to_string(rounds), std::to_string(millis)});
  }

  ProcessResult Run() const {
    ProcessSpec spec = Program("cpu=5ms,cstack=vmx", kRounds, kMillis);
    if (geteuid() == 0) {
      spec.argv.insert(spec.argv.begin(),
                       {"/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"});
    }
    return RunProcess(spec);
  }

  // Nanoseconds of CPU time that the samples of `thread` with one of the frames stand for.
  static double NanosWith(const Recording& recording, const std::string& thread,
                          const std::vector<std::string>& frames) {
    const auto samples = SamplesOf(recording, kExecutionSample, thread);
    return kIntervalNs * static_cast<double>(std::ranges::count_if(samples, [&](const Event& each) {
             return std::ranges::any_of(
                 frames, [&](const std::string& frame) { return each.HasFramesInOrder({frame}); });
           }));
  }
};
JPROF_ON_EVERY_JDK(LibraryTurnsTest);

// A visit of the function has a sample more or less than its time has intervals, evenly
// distributed: a standard error of 0.41 intervals for each of `visits`. Beside four of these, the
// time at the ends of which the program does not read the clock, and the delay of a timer.
double ErrorOf(int visits) { return kIntervalNs * (4 * 0.41 * std::sqrt(visits) + 0.2 * visits); }

TEST_P(LibraryTurnsTest, EachSampleHasTheNamesOfTheLibraryThatRan) {
  const ProcessResult run = Run();
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
  const ProgramOutput truth(run.out);
  ASSERT_EQ(truth.Number("addresses"), 1) << "the libraries did not take the place of each other";
  const Recording recording = ReadSound("out.jfr");
  for (const std::string turn : {"0", "1", "2"}) {
    const std::string function = "libturn_" + turn + ".so.turn_" + turn;
    EXPECT_NEAR(NanosWith(recording, "turns", {function + "_burn", function + "_inner"}),
                truth.Number("cpu.turn-" + turn), ErrorOf(kRounds))
        << function;
  }
  // Of a file that was opened in time all names are known.
  for (const std::string thread : {"late", "gone"}) {
    const std::string function = thread + ".so.turn_0";
    EXPECT_NEAR(NanosWith(recording, thread, {function + "_burn", function + "_inner"}),
                truth.Number("cpu." + thread), ErrorOf(1))
        << function;
  }
  // Of one that was deleted before the start, those that it exports.
  EXPECT_NEAR(NanosWith(recording, "early", {"early.so.turn_0_burn", "early.so.[unknown]"}),
              truth.Number("cpu.early"), ErrorOf(1));
  EXPECT_GT(NanosWith(recording, "early", {"early.so.turn_0_burn"}), 0);
}

// The breakpoint of a function would begin windows by the calls of whatever is at its address.
TEST_P(LibraryTurnsTest, AFunctionWhoseLibraryIsUnloadedBeginsNoWindow) {
  ProcessSpec spec = Program("cpu=1ms,begin=turn_2_burn", 1, 1);
  spec.argv.emplace_back("libturn_2.so");
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
  EXPECT_THAT(run.out + run.err, HasSubstr("no further window")) << run.Describe();
  EXPECT_THAT(run.out + run.err, HasSubstr("no window")) << run.Describe();
}

}  // namespace
}  // namespace jprof::test
