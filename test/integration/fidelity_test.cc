// Names, lines, shares and depth of stacks.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "integration/source_lines.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

class FidelityTest : public JvmTest {
 protected:
  Recording Profile(const std::string& options, const std::vector<std::string>& program,
                    const std::vector<std::string>& jvm_arguments = {}) {
    run_ = RunProfiled("start," + options + ",file=" + Path("out.jfr"), program, jvm_arguments);
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    return ReadSound("out.jfr");
  }

  ProcessResult run_;
};
JPROF_ON_EVERY_JDK(FidelityTest);

std::vector<Event> WithFrame(const std::vector<Event>& samples, const std::string& method) {
  std::vector<Event> matching;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(matching),
               [&](const Event& sample) { return sample.HasFrame(method); });
  return matching;
}

double Share(const std::vector<Event>& part, const std::vector<Event>& whole) {
  return static_cast<double>(part.size()) / static_cast<double>(whole.size());
}

// Returns the effective number of independent samples by Kish's formula. A late timer signal looks
// at the thread once but makes several events, which are therefore not independent. The test below
// allows a share five standard deviations.
double IndependentSamples(const std::vector<Event>& samples) {
  std::map<std::string, double> events_of_look;
  for (const Event& sample : samples) {
    ++events_of_look[ThreadName(sample) + '@' + sample.Text("startTime")];
  }
  double squares = 0;
  for (const auto& [look, events] : events_of_look) squares += events * events;
  const auto total = static_cast<double>(samples.size());
  return total * total / squares;
}

TEST_P(FidelityTest, MethodsGetTheShareOfTheirCpuTime) {
  const Recording recording = Profile("event=cpu,interval=2ms", {"BusyLoop", "2", "2000"});
  std::vector<Event> samples = SamplesOf(recording, kExecutionSample, "busy-0");
  const std::vector<Event> second = SamplesOf(recording, kExecutionSample, "busy-1");
  samples.insert(samples.end(), second.begin(), second.end());
  const double three = Share(WithFrame(samples, "BusyLoop.burnThree"), samples);
  const double one = Share(WithFrame(samples, "BusyLoop.burnOne"), samples);

  const ProgramOutput truth(run_.out);
  const double three_nanos = truth.Number("method.burnThree");
  const double expected = three_nanos / (three_nanos + truth.Number("method.burnOne"));
  const double deviation = std::sqrt(expected * (1 - expected) / IndependentSamples(samples));
  EXPECT_NEAR(three, expected, 5 * deviation) << samples.size() << " samples";
  EXPECT_NEAR(one, 1 - expected, 5 * deviation) << samples.size() << " samples";
}

TEST_P(FidelityTest, StacksAreWholeAndLinesLieInTheirMethods) {
  const Recording recording = Profile("event=cpu", {"BusyLoop", "1", "1000"});
  const std::vector<Event> samples = SamplesOf(recording, kExecutionSample, "busy-0");
  ASSERT_FALSE(samples.empty());
  const auto [first, last] = LinesOf("BusyLoop.java", "long burnThree(");
  ASSERT_GT(last, first);
  const std::vector<Event> whole = WithFrame(samples, "BusyLoop.run");
  EXPECT_GE(Share(whole, samples), 0.95);
  for (const Event& sample : whole) {
    EXPECT_EQ(sample.frames.back().method, "java.lang.Thread.run");
    EXPECT_EQ(sample.Text("stackTrace.truncated"), "false");
    for (const Frame& frame : sample.frames) {
      if (frame.method == "BusyLoop.burnThree") {
        EXPECT_THAT(frame.line, AllOf(Ge(first), Le(last)));
      }
    }
  }
}

// The interpreter writes the bytecode pointer to the frame only before calls, and these loops have
// none.
TEST_P(FidelityTest, LinesOfAnInterpretedMethodThatCallsNothingGetTheShareOfTheirTime) {
  const Recording recording = Profile("event=cpu,interval=1ms", {"LeafLines", "3000"}, {"-Xint"});
  const int first = LinesOf("LeafLines.java", "long loops(").first;
  ASSERT_GT(first, 0);
  std::vector<Event> samples;
  std::map<int, double> samples_at;
  for (const Event& sample : SamplesOf(recording, kExecutionSample, "main")) {
    if (sample.frames.empty() || sample.frames.front().method != "LeafLines.loops") continue;
    samples.push_back(sample);
    ++samples_at[sample.frames.front().line];
  }
  ASSERT_GE(samples.size(), 500u);
  const auto all = static_cast<double>(samples.size());
  const double deviation = std::sqrt(0.25 * 0.75 / IndependentSamples(samples));
  // The loops execute the same bytecodes, but they need not take exactly the same time for each.
  EXPECT_NEAR(samples_at[first + 1] / all, 0.25, 4 * deviation + 0.02);
  EXPECT_NEAR(samples_at[first + 2] / all, 0.75, 4 * deviation + 0.02);
}

TEST_P(FidelityTest, SleepersShowWhereTheySleep) {
  const Recording recording = Profile("wall=20ms", {"Sleepers", "3", "1000"});
  const std::vector<std::string> methods = {"Sleepers.sleep", "Sleepers.park", "Sleepers.await"};
  for (size_t i = 0; i < methods.size(); ++i) {
    int64_t at_method = 0;
    int64_t all = 0;
    for (const Event& sample :
         SamplesOf(recording, kWallClockSample, "sleeper-" + std::to_string(i))) {
      if (sample.HasFrame(methods[i])) at_method += sample.Number("samples");
      all += sample.Number("samples");
    }
    EXPECT_GE(static_cast<double>(at_method), 0.9 * static_cast<double>(all)) << methods[i];
    EXPECT_GT(all, 0) << methods[i];
  }
}

TEST_P(FidelityTest, AThousandFramesAreShownDownToTheThreadsStart) {
  const Recording recording = Profile("event=cpu", {"DeepStack", "1000", "500"});
  const auto samples =
      WithFrame(SamplesOf(recording, kExecutionSample, "deep"), "DeepStack.bottom");
  ASSERT_GE(samples.size(), 45u);
  for (const Event& sample : samples) {
    EXPECT_EQ(std::count_if(sample.frames.begin(), sample.frames.end(),
                            [](const Frame& frame) { return frame.method == "DeepStack.descend"; }),
              1000);
    EXPECT_EQ(sample.frames.back().method, "java.lang.Thread.run");
    EXPECT_EQ(sample.Text("stackTrace.truncated"), "false");
  }
}

TEST_P(FidelityTest, TwentyThousandFramesAreShownDownToTheThreadsStart) {
  for (const char* how : {"-Xbatch", "-Xint"}) {
    const Recording recording =
        Profile("event=cpu,interval=20ms,jstackdepth=20100", {"DeepStack", "20000", "600"}, {how});
    const std::vector<Event> samples =
        WithFrame(SamplesOf(recording, kExecutionSample, "deep"), "DeepStack.descend");
    const auto rooted = std::count_if(samples.begin(), samples.end(), [](const Event& sample) {
      return !sample.frames.empty() && sample.frames.back().method == "java.lang.Thread.run" &&
             sample.Text("stackTrace.truncated") == "false";
    });
    EXPECT_GE(static_cast<double>(rooted), 0.995 * static_cast<double>(samples.size())) << how;
    EXPECT_GE(WithFrame(samples, "DeepStack.bottom").size(), 15u) << how;
  }
}

// A walk takes longer than the interval.
TEST_P(FidelityTest, AProgramWithDeepStacksGoesOnAtAShortInterval) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,interval=200us,jstackdepth=20100,file=" + Path("out.jfr"),
                  {"DeepStack", "20000", "1000"}, {"-Xbatch"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_LT(ProgramOutput(run.out).Number("cpu.deep"), 10e9);
}

TEST_P(FidelityTest, ADeeperStackThanTheDefaultIsCutAndSaysSo) {
  const Recording recording = Profile("event=cpu", {"DeepStack", "4000", "300"});
  const auto samples =
      WithFrame(SamplesOf(recording, kExecutionSample, "deep"), "DeepStack.bottom");
  ASSERT_GE(samples.size(), 25u);
  for (const Event& sample : samples) {
    EXPECT_EQ(sample.frames.size(), 2048u);
    EXPECT_EQ(sample.Text("stackTrace.truncated"), "true");
  }
}

TEST_P(FidelityTest, StackDepthIsHonoured) {
  const Recording recording = Profile("event=cpu,jstackdepth=64", {"DeepStack", "1000", "300"});
  const auto samples =
      WithFrame(SamplesOf(recording, kExecutionSample, "deep"), "DeepStack.bottom");
  ASSERT_GE(samples.size(), 25u);
  for (const Event& sample : samples) {
    EXPECT_EQ(sample.frames.size(), 64u);
    EXPECT_EQ(sample.Text("stackTrace.truncated"), "true");
  }
}

class VirtualThreadsFidelityTest : public FidelityTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualThreadsFidelityTest);

TEST_P(VirtualThreadsFidelityTest, TheyRunOnUnharmedAndTheirCpuTimeIsSeen) {
  const Recording recording = Profile("cpu=1ms,wall=10ms", {"VirtualThreads", "200", "20", "500"});
  const ProgramOutput truth(run_.out);
  EXPECT_EQ(truth.Number("turns"), 200 * 20);
  double measured = 0;
  for (const Event& sample : recording.OfType(kExecutionSample)) {
    if (sample.HasFrame("VirtualThreads.burnTurn")) measured += 1e6;
  }
  EXPECT_GT(measured, 0.5 * truth.Number("cpu.process"));
}

}  // namespace
}  // namespace jprof::test
