// Native libraries that have been unloaded or deleted by the time their names are written. Each
// sample has the names of the library that ran, whatever is at its address now and whatever
// happened to its file. The JVM has no privileges, like the JVMs of most users.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kRounds = 6;
constexpr int kMillis = 50;

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

  static size_t CountWith(const std::vector<Event>& samples,
                          const std::vector<std::string>& frames) {
    return static_cast<size_t>(std::ranges::count_if(samples, [&](const Event& each) {
      return std::ranges::any_of(
          frames, [&](const std::string& frame) { return each.HasFramesInOrder({frame}); });
    }));
  }
};
JPROF_ON_EVERY_JDK(LibraryTurnsTest);

// True if `count` is at least half of `all`. A thread burns CPU time in its library for 50 ms, and
// spends less than one more millisecond outside, at its start and end. Even if a late sample stands
// for several, at least half of the thread's samples are in the library.
bool AreMost(size_t count, size_t all) { return all > 0 && 2 * count >= all; }

TEST_P(LibraryTurnsTest, SamplesHaveTheNamesOfTheLibraryThatRan) {
  const ProcessResult run = Run();
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
  const ProgramOutput truth(run.out);
  ASSERT_GT(truth.Number("shared"), 0) << "the libraries did not take the place of each other";
  const Recording recording = ReadSound("out.jfr");
  for (const std::string turn : {"0", "1", "2"}) {
    const auto samples = SamplesOf(recording, kExecutionSample, "turn-" + turn);
    for (const std::string other : {"0", "1", "2"}) {
      const std::string function = "libturn_" + other + ".so.turn_" + other;
      const size_t count = CountWith(samples, {function + "_burn", function + "_inner"});
      if (other == turn) {
        EXPECT_PRED2(AreMost, count, samples.size()) << function;
      } else {
        EXPECT_EQ(count, 0u) << function << " on a thread that did not have it";
      }
    }
  }
  // The profiler opened these files before they were deleted, and therefore knows all names.
  for (const std::string thread : {"late", "gone"}) {
    const auto samples = SamplesOf(recording, kExecutionSample, thread);
    const std::string function = thread + ".so.turn_0";
    EXPECT_PRED2(AreMost, CountWith(samples, {function + "_burn", function + "_inner"}),
                 samples.size());
    EXPECT_EQ(CountWith(samples, {thread + ".so.[unknown]"}), 0u) << thread;
  }
  // This file was deleted before the start, so that only its exported names are known.
  const auto early = SamplesOf(recording, kExecutionSample, "early");
  EXPECT_PRED2(AreMost, CountWith(early, {"early.so.turn_0_burn", "early.so.[unknown]"}),
               early.size());
  EXPECT_GT(CountWith(early, {"early.so.turn_0_burn"}), 0u);
}

// If the breakpoint of the unloaded function stayed, calls to whatever is at its address now would
// start windows.
TEST_P(LibraryTurnsTest, AnUnloadedFunctionStartsNoWindow) {
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
