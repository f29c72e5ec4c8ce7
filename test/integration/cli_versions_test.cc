// jprof with an agent of another version in the JVM. jprof uses the facts of the answer that both
// versions understand. If it understands none, one line says which of the two is older.
#include <algorithm>
#include <fstream>
#include <optional>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CliVersionsTest : public CliTest {
 protected:
  void SetUp() override {
    ProcessSpec java = Java({"Server", "1", "0"});
    java.env.emplace_back("OTHER_VERSION_ANSWER", Path("answer"));
    auto server = ServerProcess::Start(java);
    ASSERT_TRUE(server.ok()) << server.error().message();
    server_.emplace(std::move(server).value());
  }

  // Runs jprof against a library that gives these bytes as its answer.
  ProcessResult JprofAnswered(const std::string& bytes, std::vector<std::string> arguments) {
    std::ofstream(Path("answer"), std::ios::binary) << bytes;
    arguments.insert(arguments.end(),
                     {"--library", NativeLibraryFolder() + "/libother_version.so"});
    return JprofOn(server_->pid(), std::move(arguments));
  }

  static std::string AnswerOf(const std::string& contract, const std::string& rest,
                              const std::string& layout = "2") {
    return "jprof-answer=" + layout + "\ncontract=" + contract + "\nversion=7.1\n" + rest + '\n';
  }

  std::optional<ServerProcess> server_;
};
JPROF_ON_NEWEST_JDK(CliVersionsTest);

constexpr char kFacts[] =
    "answer=stopped\nink=blue\nnumber.samples=5\nnumber.recorded.gpu.samples=5\n"
    "text.file=/a.jfr\nnote=note: it was dark\n";

TEST_P(CliVersionsTest, ShowsTheFactsOfAnyAgentVersion) {
  for (const std::string contract : {"0", "1", "99"}) {
    const ProcessResult stop = JprofAnswered(AnswerOf(contract, kFacts), {"stop"});
    EXPECT_EQ(stop.exit_code, 0) << stop.Describe();
    EXPECT_EQ(stop.out, "stopped: 5 samples (5 gpu), 0 lost in /a.jfr\n");
    EXPECT_EQ(stop.err, "jprof: note: it was dark\n");
  }
  EXPECT_THAT(JprofAnswered(AnswerOf("99", "answer=status\ntext.state=idle\n"), {"status"}),
              Printed("state     idle\nagent     7.1\n"));
}

TEST_P(CliVersionsTest, NamesTheOlderOneInOneLine) {
  const std::string unknown = "failure=unknown-option\noption=leese\nreason=unknown\n";
  const auto line = [this](const std::string& bytes) {
    const ProcessResult result = JprofAnswered(bytes, {"status"});
    EXPECT_EQ(result.exit_code, kLibrary) << result.Describe();
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
    return result.err;
  };
  const std::string older_agent = "jprof: the agent in process " + std::to_string(server_->pid()) +
                                  " (jprof 7.1) is older than";
  EXPECT_THAT(line(AnswerOf("0", unknown)),
              AllOf(StartsWith(older_agent), HasSubstr("it lacks the option 'leese'")));
  EXPECT_THAT(line(AnswerOf("0", "", "1")), StartsWith(older_agent));
  EXPECT_THAT(line(AnswerOf("99", unknown)),
              AllOf(StartsWith("jprof: this jprof ("), HasSubstr(") is older than the agent")));
  EXPECT_THAT(line(AnswerOf("99", kFacts, "3")), StartsWith("jprof: this jprof ("));
}

TEST_P(CliVersionsTest, RecognizesACutAnswer) {
  const std::string whole = AnswerOf("1", kFacts);
  for (const size_t size : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_THAT(JprofAnswered(whole.substr(0, size), {"stop"}),
                FailedWith(kLibrary, "it is incomplete: is /tmp full?"));
  }
}

}  // namespace
}  // namespace jprof::test
