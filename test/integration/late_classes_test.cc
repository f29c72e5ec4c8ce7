// Classes that the JVM loads without a JVMTI event, as JDK 21 to 23 do for the timer of virtual
// threads. The agent finds them when it next looks at all loaded classes. From then on their
// methods have names and probes, and the answers say since when their calls are counted.
#include <algorithm>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kLastUnannounced = 23;

class LateClassesTest : public CliTest {
 protected:
  bool leaves_out_events() const { return jdk().major <= kLastUnannounced; }

  // Runs the program's tasks, and gives `command` to the profiler after half of them.
  ProcessResult RunTasks(const std::string& options, const std::string& command, int tasks) const {
    return RunProfiled("start," + options + ",file=" + Path("out.jfr"),
                       {"LateClasses", NativeLibraryFolder(), AgentLibrary(), command,
                        std::to_string(tasks), "1000"});
  }
};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, LateClassesTest);

TEST_P(LateClassesTest, CallsAfterAnAnswerAreCountedAndTheAnswerSaysSinceWhen) {
  constexpr int kTasks = 100;
  const ProcessResult run =
      RunTasks("trace=java.util.concurrent.FutureTask.run:count", "methods", kTasks);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, ContainsRegex("answer=.*java.util.concurrent.FutureTask.run\\(\\)V"));
  const std::vector<Event> counts = ReadSound("out.jfr").OfType("profiler.MethodCount");
  ASSERT_EQ(counts.size(), 1U) << run.Describe();
  if (!leaves_out_events()) {
    EXPECT_EQ(counts[0].Number("calls"), 2 * kTasks);
    EXPECT_THAT(run.err, Not(HasSubstr("announcing")));
    return;
  }
  EXPECT_GE(counts[0].Number("calls"), kTasks);
  // The agent looks for loaded classes once a second even without a command. This can happen before
  // the first task, and before the timer's own task, which ends a sleep and counts as one more
  // call.
  EXPECT_LE(counts[0].Number("calls"), 2 * kTasks + 1);
  EXPECT_THAT(run.err, ContainsRegex("warning: calls of java.util.concurrent.FutureTask count from "
                                     "[0-9.]+ m?s after the start on: the JVM loaded the class "
                                     "without announcing it\n"));
}

TEST_P(LateClassesTest, AWindowThatNeverBeganIsExplained) {
  const ProcessResult run =
      RunTasks("cpu=1ms,begin=java.util.concurrent.FutureTask.run", "status", 20);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const auto explained = HasSubstr("warning: calls of java.util.concurrent.FutureTask ");
  if (leaves_out_events()) {
    EXPECT_THAT(run.err, AllOf(explained, HasSubstr(": the JVM loaded the class without ")));
  } else {
    EXPECT_THAT(run.err, AllOf(Not(explained), HasSubstr("1 window")));
  }
}

// AsyncGetCallTrace gives no id for a method if no agent has requested the method ids of its class.
TEST_P(LateClassesTest, FramesHaveNamesFromTheNextChunkOn) {
  for (const std::string walker : {"cstack=agct", "cstack=vm"}) {
    const ProcessResult run = RunTasks("cpu=1ms," + walker, "dump", 200);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    int samples = 0;
    int nameless = 0;
    for (const Event& sample : ReadSound("out.jfr").OfType("jdk.ExecutionSample")) {
      const auto is = [&](const std::string& part) {
        return std::ranges::any_of(sample.frames, [&](const auto& frame) {
          return frame.method.find(part) != std::string::npos;
        });
      };
      if (!is("LateClasses.burnLate")) continue;
      ++samples;
      nameless += is("[no method id]") ? 1 : 0;
    }
    EXPECT_GT(samples, 50) << walker;
    EXPECT_EQ(nameless, 0) << walker << ", of " << samples;
  }
}

}  // namespace
}  // namespace jprof::test
