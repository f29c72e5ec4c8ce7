#include "base/agent_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/version.h"

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AgentAnswerTest, ComesBackAsItWasWhateverIsInIt) {
  const CodedAnswer sent{
      2, {"a line\nand\\another\n", {"one", "t\nwo", ""}, "stopped: = 3", "/a\\n\n.jfr"}};
  const auto read = DecodeAnswer(EncodeAnswer(sent));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read.value().code, 2);
  EXPECT_EQ(read.value().answer.text, sent.answer.text);
  EXPECT_EQ(read.value().answer.notes, sent.answer.notes);
  EXPECT_EQ(read.value().answer.outcome, sent.answer.outcome);
  EXPECT_EQ(read.value().answer.file, sent.answer.file);
  EXPECT_EQ(read.value().answer.version, JprofVersion());
}

TEST(AgentAnswerTest, FactsComeBackAsTheyWere) {
  CodedAnswer sent;
  sent.answer.facts.Number("recorded.cpu.samples", 12);
  sent.answer.facts.Text("file", "/a=b\n\\c.jfr");
  const auto read = DecodeAnswer(EncodeAnswer(sent));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read.value().answer.facts.all(), sent.answer.facts.all());
}

TEST(AgentAnswerTest, AnEmptyAnswerIsOne) {
  const auto read = DecodeAnswer(EncodeAnswer({}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().code, 0);
  EXPECT_EQ(read.value().answer.WithNotes(), "");
}

TEST(AgentAnswerTest, KeysOfALaterVersionAreSkipped) {
  const auto read = DecodeAnswer("jprof-answer=1\ncode=1\nmemory=7\nfile=/a\n\ntext");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().code, 1);
  EXPECT_EQ(read.value().answer.file, "/a");
  EXPECT_EQ(read.value().answer.text, "text");
}

TEST(AgentAnswerTest, AnAnswerThatWasCutOffIsAnError) {
  const std::string whole = EncodeAnswer({1, {"text", {"note"}, "outcome", "/a.jfr"}});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodeAnswer(whole.substr(0, size)).ok()) << size;
  }
}

TEST(AgentAnswerTest, AnotherLayoutIsToldFromACutOffOne) {
  EXPECT_THAT(DecodeAnswer("0\nstopped").error().message(), HasSubstr("version"));
  EXPECT_THAT(DecodeAnswer("jprof-answer=2\ncode=0\n\n").error().message(), HasSubstr("version"));
  EXPECT_THAT(DecodeAnswer("jprof-ans").error().message(), HasSubstr("incomplete"));
}

TEST(AgentAnswerTest, NotesFollowTheTextALineEach) {
  const AgentAnswer answer{"stopped", {"warning: a", "note: b"}, "", ""};
  EXPECT_EQ(answer.WithNotes(), "stopped\nwarning: a\nnote: b");
}

TEST(AgentAnswerTest, NoLineOfAnAnswerIsPrintedAsSeveral) {
  const AgentAnswer printed = PrintableAnswer(
      {.text = "a\nb", .notes = {"x\njprof: y"}, .outcome = "z\n", .file = "/a\nb.jfr"});
  EXPECT_EQ(printed.notes, std::vector<std::string>{"x\\x0ajprof: y"});
  EXPECT_EQ(printed.outcome, "z\\x0a");
  EXPECT_EQ(printed.text, "a\nb");
  EXPECT_EQ(printed.file, "/a\nb.jfr");
}

}  // namespace
}  // namespace jprof
