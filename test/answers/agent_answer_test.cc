#include "answers/agent_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/answer_text.h"
#include "base/agent_contract.h"
#include "base/version.h"

namespace jprof {
namespace {

using Reason = UndecodedAnswer::Reason;
using testing::ElementsAre;

AgentAnswer Stopped() {
  AgentAnswer answer{AnswerKind::kStopped};
  answer.facts.AddNumber("recorded.cpu.samples", 12);
  answer.facts.AddText("file", "/a=b\n\\c.jfr");
  answer.notes = {"warning: one", "note: two"};
  return answer;
}

// Returns the encoded answer `bytes` with other numbers of the layout and the contract.
std::string WithHead(const std::string& bytes, uint32_t layout, uint32_t contract) {
  const size_t rest = bytes.find("version=");
  return "jprof-answer=" + std::to_string(layout) + "\ncontract=" + std::to_string(contract) +
         '\n' + bytes.substr(rest);
}

Reason ReasonOf(const std::string& bytes) {
  const auto decoded = DecodeAnswer(bytes);
  EXPECT_FALSE(decoded.ok()) << bytes;
  return decoded.ok() ? Reason{} : decoded.error().reason;
}

TEST(AgentAnswerTest, DecodesWhatWasEncoded) {
  const auto read = DecodeAnswer(EncodeAnswer(Stopped()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().contract, kAgentContract);
  EXPECT_EQ(read.value().version, JprofVersion());
  ASSERT_TRUE(read.value().answer.ok());
  const AgentAnswer& answer = read.value().answer.value();
  EXPECT_EQ(answer.kind, AnswerKind::kStopped);
  EXPECT_EQ(answer.facts.all(), Stopped().facts.all());
  EXPECT_EQ(answer.notes, Stopped().notes);
  EXPECT_EQ(answer.version, JprofVersion());
}

TEST(AgentAnswerTest, DecodesAnErrorWithItsKind) {
  for (const ErrorKindRow& row : kErrorKinds) {
    const auto read = DecodeAnswer(EncodeAnswer(Error("why\\not", row.kind)));
    ASSERT_TRUE(read.ok());
    ASSERT_FALSE(read.value().answer.ok());
    EXPECT_EQ(read.value().answer.error().kind(), row.kind);
    EXPECT_EQ(read.value().answer.error().message(), "why\\not");
  }
  const Error unknown = Error::UnknownOption("leese", "unknown option 'leese'");
  const auto read = DecodeAnswer(EncodeAnswer(unknown));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().answer.error().option(), "leese");
}

TEST(AgentAnswerTest, AnEmptyAnswerIsValid) {
  const auto read = DecodeAnswer(EncodeAnswer(AgentAnswer{}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(TextWithNotes(read.value().answer.value()), "");
}

TEST(AgentAnswerTest, AnAnswerThatIsCutOffAnywhereIsIncomplete) {
  for (const std::string& whole :
       {EncodeAnswer(Stopped()), EncodeAnswer(Error("why", ErrorKind::kAlreadyRecording))}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(ReasonOf(whole.substr(0, size)), Reason::kIncomplete) << size;
    }
  }
}

TEST(AgentAnswerTest, ReadsANewerContractAndSkipsUnknownFacts) {
  std::string bytes = WithHead(EncodeAnswer(Stopped()), 2, kAgentContract + 7);
  bytes.insert(bytes.find("note="), "colour=blue\nflag.urgent=1\nnumber.new.gpu.joules=5\n");
  const auto read = DecodeAnswer(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().contract, kAgentContract + 7);
  const AgentAnswer& answer = read.value().answer.value();
  EXPECT_EQ(answer.facts.Number("recorded.cpu.samples"), 12U);
  EXPECT_EQ(answer.facts.Number("new.gpu.joules"), 5U);
  EXPECT_THAT(answer.notes, ElementsAre("warning: one", "note: two"));
}

TEST(AgentAnswerTest, AnErrorOfANewerKindIsStillAnError) {
  std::string bytes = WithHead(EncodeAnswer(Error("why", ErrorKind::kBusy)), 2, kAgentContract + 1);
  bytes.replace(bytes.find("=busy"), 5, "=out-of-ink");
  const auto read = DecodeAnswer(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().answer.error().kind(), ErrorKind::kOther);
  EXPECT_EQ(read.value().answer.error().message(), "why");
}

TEST(AgentAnswerTest, AnotherLayoutIsOlderOrNewerWhateverItsContent) {
  const std::string bytes = EncodeAnswer(Stopped());
  EXPECT_EQ(ReasonOf(WithHead(bytes, 1, 0)), Reason::kOlderLayout);
  EXPECT_EQ(ReasonOf(WithHead(bytes, 3, 9)), Reason::kNewerLayout);
  EXPECT_EQ(ReasonOf("jprof-answer=1\ncode=0\nbytes=4\nversion=0.0.9\n\ntext"),
            Reason::kOlderLayout);
  const auto newer = DecodeAnswer("jprof-answer=12\ncontract=9\nversion=7.0\n{\"binary\":\n\0");
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().reason, Reason::kNewerLayout);
  EXPECT_EQ(newer.error().version, "7.0");
}

TEST(AgentAnswerTest, AnUnknownKindOfAnswerMeansANewerAgent) {
  std::string bytes = EncodeAnswer(Stopped());
  bytes.replace(bytes.find("=stopped"), 8, "=paused");
  EXPECT_EQ(ReasonOf(bytes), Reason::kMalformed);
  EXPECT_EQ(ReasonOf(WithHead(bytes, 2, kAgentContract + 1)), Reason::kNewerLayout);
}

TEST(AgentAnswerTest, RefusesBytesThatAreNoAnswer) {
  for (const char* const bytes :
       {"0\nstopped", "jprof-answers", "jprof-answer=\n\n", "jprof-answer=x\n\n",
        "jprof-answer=0\n\n", "jprof-answer=-2\n\n", "jprof-answer=99999999999\n\n", "\n",
        "jprof-answer=2\ncontract=1\nversion=1\nno value\n\n", "jprof-answer=2\n\n",
        "jprof-answer=2\ncontract=1\nversion=1\nanswer=\n\n"}) {
    EXPECT_EQ(ReasonOf(bytes), Reason::kMalformed) << bytes;
  }
}

TEST(AgentAnswerTest, RefusesAnAnswerWithTooManyFacts) {
  AgentAnswer answer{AnswerKind::kMethods};
  for (int i = 0; i < 1500; ++i) answer.facts.AddText("methods[]", "1 0 1 1 1 1 a.b()V");
  EXPECT_TRUE(DecodeAnswer(EncodeAnswer(answer)).ok());
  for (int i = 0; i < 100'000; ++i) answer.facts.AddNumber("a", 1);
  EXPECT_EQ(ReasonOf(EncodeAnswer(answer)), Reason::kMalformed);
}

TEST(AgentAnswerTest, PutsEachNoteOnALineAfterTheText) {
  AgentAnswer answer{AnswerKind::kStartsLater};
  answer.notes = {"warning: a", "note: b"};
  EXPECT_EQ(TextWithNotes(answer),
            "the recording starts when the JVM is initialised\nwarning: a\nnote: b");
}

TEST(AgentAnswerTest, NoLineOfAnAnswerIsPrintedAsSeveral) {
  AgentAnswer sent = Stopped();
  sent.notes = {"x\njprof: y"};
  const auto read = DecodeAnswer(EncodeAnswer(sent));
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read.value().answer.value().notes, ElementsAre("x\\x0ajprof: y"));
  EXPECT_EQ(read.value().answer.value().facts.Text("file"), "/a=b\n\\c.jfr");
  EXPECT_EQ(AnswerText(read.value().answer.value()).find('\n'), std::string::npos);
  const auto error = DecodeAnswer(EncodeAnswer(Error("a\nb")));
  EXPECT_EQ(error.value().answer.error().message(), "a\\x0ab");
}

TEST(AgentFactsTest, AMalformedNumberIsZero) {
  AgentFacts facts;
  facts.Add({"negative", "-1", true});
  facts.Add({"long", "99999999999999999999", true});
  facts.Add({"empty", "", true});
  facts.Add({"tail", "1x", true});
  facts.AddText("text", "12");
  for (const char* const key : {"negative", "long", "empty", "tail", "text", "missing"}) {
    EXPECT_EQ(facts.Number(key), 0U) << key;
  }
  facts.AddNumber("longest", UINT64_MAX);
  EXPECT_EQ(facts.Number("longest"), UINT64_MAX);
  EXPECT_EQ(facts.Time("longest"), INT64_MAX);
}

}  // namespace
}  // namespace jprof
