// Tests the sentences for answers of agents of this, an older or a newer version.
#include "answers/answer_text.h"

#include <gtest/gtest.h>

#include "answers/amounts.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {
namespace {

AgentAnswer AnswerToStop() {
  AgentAnswer answer{AnswerKind::kStopped};
  answer.facts.AddText("file", "/o.jfr");
  return answer;
}

TEST(AnswerTextTest, TheStartNamesEnginesAndFile) {
  AgentAnswer answer{AnswerKind::kStarted};
  answer.facts.AddText("engines[]", "cpu every 10 ms");
  answer.facts.AddText("file", "/abs/out.jfr");
  EXPECT_EQ(AnswerText(answer), "recording cpu every 10 ms to /abs/out.jfr");
  answer.facts.AddText("engines[]", "wall every 50 ms");
  EXPECT_EQ(AnswerText(answer), "recording cpu every 10 ms, wall every 50 ms to /abs/out.jfr");
}

TEST(AnswerTextTest, ADumpAStopAndAnEndHaveTheSameCounts) {
  AgentAnswer answer = AnswerToStop();
  answer.facts.AddNumber("samples", 7);
  answer.facts.AddNumber("recorded.wall.samples", 7);
  EXPECT_EQ(AnswerText(answer), "stopped: 7 samples (7 wall), 0 lost in /o.jfr");
  answer.kind = AnswerKind::kDumped;
  EXPECT_EQ(AnswerText(answer),
            "dumped: 7 samples (7 wall), 0 lost in /o.jfr; the recording goes on");
  answer.kind = AnswerKind::kEnded;
  EXPECT_EQ(AnswerText(answer), "ended with the JVM: 7 samples (7 wall), 0 lost in /o.jfr");
}

TEST(AnswerTextTest, ReportsAKindWithoutIntervalsInItsUnit) {
  const auto recorded = [](const char* key, uint64_t amount) {
    AgentFacts facts;
    facts.AddNumber(key, amount);
    return RecordedText(facts);
  };
  EXPECT_EQ(recorded("recorded.x.bytes", 4096), "0 samples, 4096 bytes of x as sampled");
  EXPECT_EQ(recorded("recorded.x.ns", 50), "0 samples, 50 ns of x");
  EXPECT_EQ(recorded("recorded.x.ns", 338'462'576'207), "0 samples, 338.46 s of x");
  EXPECT_EQ(recorded("recorded.x.count", 7), "0 samples, 7 x");
}

TEST(AnswerTextTest, LossesAreSummedByReasonInTheOrderOfTheTable) {
  AgentFacts facts;
  facts.AddNumber("lostSamples", 10);
  facts.AddNumber(std::string("lost.") + kLostReasonText[2] + ".cpu.samples", 3);
  facts.AddNumber("lost.no thread slot.cpu.samples", 4);
  facts.AddNumber(std::string("lost.") + kLostReasonText[0] + ".wall.samples", 1);
  facts.AddNumber(std::string("lost.") + kLostReasonText[2] + ".wall.samples", 2);
  facts.AddNumber(std::string("lost.") + kLostReasonText[0] + ".lock.ns", 20);
  facts.AddNumber(std::string("lost.") + kLostReasonText[1] + ".lock.ns", 30);
  EXPECT_EQ(LostText(facts),
            "10 lost (1 no walk buffer, 5 sample buffers full, 4 no thread slot), 50 ns of lock");
}

TEST(AnswerTextTest, NamesAdditionsOfANewerAgentAsTheAgentDoes) {
  AgentAnswer answer = AnswerToStop();
  answer.facts.AddNumber("samples", 9);
  answer.facts.AddNumber("recorded.cpu.samples", 7);
  answer.facts.AddNumber("recorded.gpu.samples", 2);
  answer.facts.AddNumber("recorded.power.joules", 3);
  answer.facts.AddNumber("lostSamples", 1);
  answer.facts.AddNumber("lost.no ink.gpu.samples", 1);
  EXPECT_EQ(AnswerText(answer),
            "stopped: 9 samples (7 cpu, 2 gpu), 3 joules of power, 1 lost (1 no ink) in /o.jfr");
}

TEST(AnswerTextTest, LeavesOutFactsThatAnOlderAgentLacks) {
  EXPECT_EQ(AnswerText(AnswerToStop()), "stopped: 0 samples, 0 lost in /o.jfr");
  EXPECT_EQ(StatusText({AnswerKind::kStatus}), "");
}

TEST(AnswerTextTest, NoFactBreaksALine) {
  AgentAnswer answer{AnswerKind::kStarted};
  answer.facts.AddText("engines[]", "cpu\nwall");
  answer.facts.AddText("file", "/a\n\x1b[2J.jfr");
  EXPECT_EQ(AnswerText(answer), "recording cpu\\x0awall to /a\\x0a\\x1b[2J.jfr");
  AgentAnswer status{AnswerKind::kStatus};
  status.facts.AddText("state", "recording\nstate     idle");
  status.facts.AddNumber("startTime", UINT64_MAX);
  status.facts.AddText("totals[]", "1\n2");
  status.facts.AddText("signals.cpu\n", "SIGPROF\n");
  const std::string text = StatusText(status);
  EXPECT_EQ(text.find("\nstate"), std::string::npos) << text;
  EXPECT_NE(text.find("totals    1\\x0a2\n"), std::string::npos) << text;
}

TEST(AnswerTextTest, ATimeSpanHasAUnitThatFits) {
  const auto ago = [](Nanos ago_ns) { return SinceText(0, ago_ns).substr(19); };
  EXPECT_EQ(ago(12'340'000'000), " (12.3 s ago)");
  EXPECT_EQ(ago(200 * kNanosPerSecond), " (3 min ago)");
  EXPECT_EQ(ago(9000 * kNanosPerSecond), " (2 h ago)");
}

}  // namespace
}  // namespace jprof
