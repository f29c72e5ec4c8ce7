// Tests how answers of agents of this version and of other versions are read.
#include "attach/answer_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/agent_contract.h"
#include "base/version.h"

namespace jprof {
namespace {

using testing::HasSubstr;

// Returns the bytes of the answer that an agent of another version writes.
std::string AnswerOf(uint32_t contract, const std::string& version, const std::string& rest,
                     uint32_t layout = 2) {
  return "jprof-answer=" + std::to_string(layout) + "\ncontract=" + std::to_string(contract) +
         "\nversion=" + version + '\n' + rest + '\n';
}

constexpr uint32_t kOlder = kAgentContract - 1;
constexpr uint32_t kNewer = kAgentContract + 1;
const std::string kOurs = JprofVersion();

void ExpectFailure(const std::string& bytes, FailureKind kind, const std::string& message) {
  const Outcome<AgentAnswer> read = ReadAgentAnswer(bytes, 4711);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind(), kind);
  EXPECT_EQ(read.error().message(), message);
}

TEST(AnswerReadingTest, UsesAnAnswerOfAnyContractNumber) {
  for (const uint32_t contract : {kOlder, kAgentContract, kNewer}) {
    const auto read = ReadAgentAnswer(
        AnswerOf(contract, "7.1", "answer=stopped\nnew=x\nnumber.samples=5\n"), 4711);
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(read.value().kind, AnswerKind::kStopped);
    EXPECT_EQ(read.value().facts.Number("samples"), 5U);
    EXPECT_EQ(read.value().version, "7.1");
  }
}

TEST(AnswerReadingTest, ShowsTheSentenceOfAnErrorAndUsesItsKind) {
  ExpectFailure(EncodeAnswer(Error("cannot open /x")), FailureKind::kRefused, "cannot open /x");
  ExpectFailure(EncodeAnswer(Error(ErrorKind::kJvmIsStarting)), FailureKind::kStarting,
                "process 4711: the JVM is still starting: try again in a moment");
  ExpectFailure(EncodeAnswer(Error("x is running", ErrorKind::kAlreadyRecording)),
                FailureKind::kRefused, "x is running: jprof stop 4711");
  ExpectFailure(EncodeAnswer(Error("already recording, one could think")), FailureKind::kRefused,
                "already recording, one could think");
  const auto idle = ReadAgentAnswer(EncodeAnswer(Error(ErrorKind::kNothingRecorded)), 4711);
  EXPECT_EQ(idle.error().error_kind(), ErrorKind::kNothingRecorded);
  ExpectFailure(EncodeAnswer(Error::UnknownOption("x", "unknown option 'x'")),
                FailureKind::kRefused, "unknown option 'x'");
}

TEST(AnswerReadingTest, AnAgentThatLacksAnOptionIsOlder) {
  ExpectFailure(
      AnswerOf(kOlder, "0.0.9", "failure=unknown-option\noption=lease\nreason=unknown ...\n"),
      FailureKind::kLibrary,
      "the agent in process 4711 (jprof 0.0.9) is older than this jprof (" + kOurs +
          "): it lacks the option 'lease'; start the JVM anew, or use the jprof of that version");
  ExpectFailure(AnswerOf(kOlder, "0.0.9", "failure=invalid-command\nreason='gpu' is unknown\n"),
                FailureKind::kLibrary,
                "the agent in process 4711 (jprof 0.0.9) is older than this jprof (" + kOurs +
                    "): 'gpu' is unknown; start the JVM anew, or use the jprof of that version");
}

TEST(AnswerReadingTest, AnAgentThatHasGivenUpAnOptionIsNewer) {
  ExpectFailure(
      AnswerOf(kNewer, "7.1", "failure=unknown-option\noption=lease\nreason=unknown ...\n"),
      FailureKind::kLibrary,
      "this jprof (" + kOurs +
          ") is older than the agent in process 4711 (jprof 7.1): the agent has given up the "
          "option "
          "'lease'; use the jprof of that version");
}

TEST(AnswerReadingTest, ForAnUnknownLayoutSaysWhetherAgentOrJprofIsOlder) {
  ExpectFailure(AnswerOf(kOlder, "0.0.9", "code=0\n", 1), FailureKind::kLibrary,
                "the agent in process 4711 (jprof 0.0.9) is older than this jprof (" + kOurs +
                    "): its answers have another layout; start the JVM anew, or use the jprof of "
                    "that version");
  ExpectFailure(AnswerOf(kNewer, "7.1", "answer=stopped\n", 3), FailureKind::kLibrary,
                "this jprof (" + kOurs +
                    ") is older than the agent in process 4711 (jprof 7.1): its answers have "
                    "another layout; use the jprof of that version");
  const auto bare = ReadAgentAnswer("jprof-answer=3\n", 4711);
  EXPECT_THAT(bare.error().message(), HasSubstr("the agent in process 4711: its answers"));
}

TEST(AnswerReadingTest, AnAnswerThatIsCutOffIsNeverUsed) {
  const std::string whole = EncodeAnswer(AgentAnswer{AnswerKind::kStopped});
  ASSERT_TRUE(ReadAgentAnswer(whole, 4711).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto read = ReadAgentAnswer(whole.substr(0, size), 4711);
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().kind(), FailureKind::kLibrary);
    EXPECT_THAT(read.error().message(), HasSubstr("is /tmp full?"));
  }
}

TEST(AnswerReadingTest, AnEscapeInAReasonDoesNotReachTheTerminal) {
  const auto read = ReadAgentAnswer(EncodeAnswer(Error("a\x1b[2J\nb")), 4711);
  EXPECT_EQ(read.error().message(), "a\\x1b[2J\\x0ab");
}

}  // namespace
}  // namespace jprof
