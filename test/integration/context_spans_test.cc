// Spans as events, and the scopes of jprof.ThreadContext that open and close them.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/context_program.h"

namespace jprof::test {
namespace {

class ContextSpansTest : public CliTest {
 protected:
  ProcessResult Run(const std::string& options, const std::vector<std::string>& program,
                    const std::string& file = "out.jfr") const {
    ProcessResult run =
        RunProfiled("start," + options + ",file=" + Path(file), ContextProgram(program));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run;
  }
};
JPROF_ON_EVERY_JDK(ContextSpansTest);

TEST_P(ContextSpansTest, ALongSpanHasItsTrueStart) {
  constexpr double kMillis = 2500;
  constexpr double kRounding = 2;  // ms: the program's clock rounds, and differs from ours
  const ProcessResult run =
      Run("cpu,context,spans,loop=1s", {"LongSpans", "2500", Path("part-2.jfr")}, "part-%n.jfr");
  const ProgramOutput truth(run.out);
  std::map<int64_t, int> events;
  for (const std::string& name : FilesInFolder()) {
    for (const Event& event : ReadSound(name).OfType("profiler.Span")) {
      const int64_t span = event.Number("spanId");
      const std::string number = std::to_string(span);
      ++events[span];
      const double begin = static_cast<double>(event.Number("startTime")) / 1e6;
      const double millis = static_cast<double>(event.Number("duration")) / 1e6;
      EXPECT_GE(begin, truth.Number("begin" + number) - kRounding);
      EXPECT_LE(begin + millis, truth.Number("end" + number) + kRounding);
      EXPECT_GE(millis, kMillis - kRounding);
    }
  }
  EXPECT_GE(FilesInFolder().size(), 2u) << "the spans began in the first one";
  EXPECT_EQ(events, (std::map<int64_t, int>{{1, 1}, {2, 1}}));
}

// The thread that stops the recording takes the samples of waits that go on.
TEST_P(ContextSpansTest, AWaitThatGoesOnHasNoContextOfTheThreadThatStops) {
  const ProcessResult run = Run("lock=1ms,context", {"StopInSpan"});
  ASSERT_EQ(ProgramOutput(run.out).Number("active"), 1) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  for (const auto& [type, thread] :
       {std::pair("jdk.JavaMonitorEnter", "waiting"), std::pair("jdk.ThreadPark", "parked")}) {
    std::vector<Event> waits = recording.OfType(type);
    std::erase_if(waits, [name = thread](const Event& wait) {
      return wait.Text("eventThread.javaName") != name;
    });
    ASSERT_EQ(waits.size(), 1u) << type;
    EXPECT_GE(waits[0].Number("duration"), 100'000'000) << type;
    EXPECT_EQ(waits[0].Number("spanId"), 0) << type;
  }
}

TEST_P(ContextSpansTest, AScopeIsClosedOnceAndOnItsThreadAlone) {
  // The agent is present from the launch, or is attached when the scope is already open. JDK 8 is
  // left out of the second case because its jcmd has no JVMTI.agent_load.
  for (const bool comes_late : {false, true}) {
    if (comes_late && jdk().major < 9) continue;
    SCOPED_TRACE(comes_late);
    const std::string start = "start,cpu=1ms,context,file=" + Path("out.jfr");
    std::vector<std::string> agent;
    if (!comes_late) agent.push_back(AgentArgument(start));
    auto program = RunningProcess::Start(Java(ContextProgram({"ContextCases", "closed"}), agent));
    ASSERT_TRUE(program.ok()) << program.error().message();
    RunningProcess& running = program.value();
    ASSERT_TRUE(running.WaitForLine("ready").ok());
    if (comes_late) {
      EXPECT_TRUE(Attach(running.pid(), start).Accepted());
    }
    running.WriteLine("");
    const ProcessResult run = running.Wait();
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, testing::HasSubstr("refused=1"));
    std::map<std::string, int> samples;
    for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
      for (const auto& [method, span] :
           std::map<std::string, int>{{"none", 0}, {"span1", 1}, {"span2", 2}}) {
        if (!sample.HasFrame("ContextCases." + method)) continue;
        ++samples[method];
        EXPECT_EQ(sample.Number("spanId"), span) << method;
      }
    }
    EXPECT_GE(samples["none"], 50);
    EXPECT_GE(samples["span1"], 50);
    EXPECT_GE(samples["span2"], 100);
  }
}

TEST_P(ContextSpansTest, CountsContextsThatAreNotStored) {
  const ProcessResult run = Run("cpu,context,spans,memlimit=16m", {"ContextCases", "many"});
  const int64_t said = AgentLog(run.err).LastCount("contexts not stored");
  int64_t counted = 0;
  for (const Event& count : ReadSound("out.jfr").OfType("profiler.SampleCount")) {
    if (count.Text("kind") != "context") continue;
    EXPECT_EQ(count.Text("outcome"), "lost: stack storage full");
    counted += count.Number("intervals");
  }
  EXPECT_GT(said, 0) << run.err;
  EXPECT_EQ(counted, said);
  const ProcessResult losses = Jprof({"view", "losses", "--json", "--limit", "0", Path("out.jfr")});
  EXPECT_THAT(losses.out,
              testing::HasSubstr("\"lost\":" + std::to_string(said) +
                                 ",\"reason\":\"missing contexts: stack storage full\""))
      << losses.Describe();
}

}  // namespace
}  // namespace jprof::test
