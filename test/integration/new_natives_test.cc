// Stacks through native code whose unwind tables are missing or have just been made. No Java frame
// is missing, and a gap between native frames is marked.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kRounds = 10;
constexpr int kMillis = 30;
constexpr char kGap[] = "[break: native code]";
constexpr char kInner[] = "new_native_inner";

class NewNativesTest : public JvmTest {
 protected:
  Recording Run(const std::string& options) {
    const ProcessResult run = RunProcess(
        Java({"NewNatives", AgentLibrary(), "start," + options + ",file=" + Path("out.jfr"),
              NativeLibraryFolder(), folder(), std::to_string(kRounds), std::to_string(kMillis)}));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
    return ReadSound("out.jfr");
  }

  // True if the stack has frames with these ends of names, the callee first. Other frames can lie
  // between them.
  static bool Has(const Event& sample, const std::vector<std::string>& ends) {
    auto wanted = ends.begin();
    for (const Frame& frame : sample.frames) {
      if (wanted != ends.end() && frame.method.ends_with(*wanted)) ++wanted;
    }
    return wanted == ends.end();
  }

  static size_t CountWith(const std::vector<Event>& samples, const std::vector<std::string>& ends) {
    return static_cast<size_t>(
        std::ranges::count_if(samples, [&](const Event& each) { return Has(each, ends); }));
  }
};
JPROF_ON_EVERY_JDK(NewNativesTest);

TEST_P(NewNativesTest, JavaFramesAreWholeWithoutUnwindTables) {
  for (const std::string mode : {"vm", "vmx"}) {
    const Recording recording = Run("cpu=2ms,cstack=" + mode);
    for (const std::string thread : {"bare", "fresh"}) {
      const auto samples = SamplesOf(recording, kExecutionSample, thread);
      const size_t called = CountWith(samples, {"NewNatives.outer"});
      EXPECT_GE(called, 20u) << thread;
      const size_t inside = CountWith(samples, {kInner});
      EXPECT_GE(2 * inside, called) << thread << ": most samples are in native code";
      EXPECT_EQ(
          CountWith(samples, {kInner, "NewNatives.spin", "NewNatives.middle", "NewNatives.outer"}),
          inside)
          << thread << " in mode " << mode;
    }
    const auto bare = SamplesOf(recording, kExecutionSample, "bare");
    EXPECT_EQ(CountWith(bare, {kInner, kGap, "NewNatives.spin"}), CountWith(bare, {kInner}));
  }
}

TEST_P(NewNativesTest, ALateStartHasAllTablesAtItsFirstSample) {
  const Recording recording = Run("cpu=1ms,cstack=vmx");
  const auto samples = SamplesOf(recording, kExecutionSample, "interner");
  EXPECT_GE(CountWith(samples, {"JVM_InternString", "NewNatives.intern"}), 20u);
  EXPECT_EQ(CountWith(samples, {kGap}), 0u);
}

// The profiler reads the tables within milliseconds after the library is loaded; the sleep takes
// 1.2 s.
TEST_P(NewNativesTest, ASleeperGetsTheStackOfLaterTables) {
  const Recording recording = Run("wall=2ms,cstack=vm");
  int64_t all = 0;
  int64_t whole = 0;
  for (const Event& each : SamplesOf(recording, kWallClockSample, "sleeper")) {
    const int64_t intervals = each.Number("samples");
    all += intervals;
    const bool is_whole =
        Has(each, {"new_native_sleep", "NewNatives.sleep", "NewNatives.outerSleep"}) &&
        !Has(each, {kGap});
    if (is_whole) whole += intervals;
  }
  EXPECT_GE(all, 500);
  EXPECT_GE(4 * whole, 3 * all);
}

}  // namespace
}  // namespace jprof::test
