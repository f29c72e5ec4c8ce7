// jprof validate: compares stacks with what probes in the program note.
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "support/jvm/poisson.h"
#include "support/text.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The limit of the rate of wrong stacks (docs/validation.md).
constexpr double kLimit = 0.00003;

// The sums of the events of a recording, for one layer and walker.
struct Sums {
  double judged = 0;
  double wrong = 0;
  double moved = 0;
  double outside = 0;
  double resynchronised = 0;
};

Sums SumsOf(const Recording& recording, const std::string& layer, const std::string& walker) {
  Sums sums;
  for (const Event& event : recording.OfType("profiler.StackValidation")) {
    if (event.Text("layer") != layer || event.Text("walker") != walker) continue;
    const auto stacks = static_cast<double>(event.Number("stacks"));
    if (event.Text("judged") == "true") sums.judged += stacks;
    if (event.Text("wrong") == "true") sums.wrong += stacks;
    if (event.Text("verdict") == "moved") sums.moved += stacks;
    if (event.Text("verdict") == "outside") sums.outside += stacks;
    if (event.Text("verdict") == "resynchronised") sums.resynchronised += stacks;
  }
  return sums;
}

class ValidateTest : public CliTest {
 protected:
  ProcessResult Validate(std::vector<std::string> options, const std::vector<std::string>& program,
                         const std::vector<std::string>& jvm_arguments = {}) const {
    options.insert(options.begin(), "validate");
    options.emplace_back("--");
    for (const std::string& word : Java(program, jvm_arguments).argv) options.push_back(word);
    return Jprof(options);
  }
};
JPROF_ON_EVERY_JDK(ValidateTest);

// Poisson: with N stacks, a walker at the limit has more wrong ones in less than one of 100 000
// runs.
void ExpectFewWrong(const Sums& sums, double least) {
  EXPECT_GE(sums.judged, least);
  EXPECT_LE(sums.wrong, LikelyCounts(sums.judged * kLimit + 0.01).most);
}

TEST_P(ValidateTest, StacksAgreeWithTheProbesAtAllPointsAndWithJvmtiAtEntries) {
  const ProcessResult run = Validate({"--fail-above", "5%", "-o", "out.jfr"}, {"Validated", "6"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, AllOf(HasSubstr("sum "), HasSubstr("stacks compared")));
  const Recording recording = ReadSound("out.jfr");
  ExpectFewWrong(SumsOf(recording, "signal", "jprof"), 300);
  ExpectFewWrong(SumsOf(recording, "safepoint", "jprof"), 2000);
  ExpectFewWrong(SumsOf(recording, "probes", "GetStackTrace"), 2000);
}

TEST_P(ValidateTest, TheInterpreterMovesNothing) {
  const ProcessResult run =
      Validate({"--fail-above", "5%", "-o", "out.jfr"}, {"Validated", "4"}, {"-Xint"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  const Sums sums = SumsOf(ReadSound("out.jfr"), "signal", "jprof");
  ExpectFewWrong(sums, 300);
  EXPECT_EQ(sums.moved, 0);
}

TEST_P(ValidateTest, AFullStackLeavesTheShadowStackTrue) {
  const ProcessResult run =
      Validate({"--methods", "Validated.*", "--fail-above", "5%", "-o", "out.jfr"},
               {"Validated", "5", "overflow"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("sum "));
  ExpectFewWrong(SumsOf(ReadSound("out.jfr"), "signal", "jprof"), 200);
}

TEST_P(ValidateTest, TheWalkersOfTheJvmAreJudgedOnTheSameSignals) {
  const ProcessResult run =
      Validate({"--agct", "--fail-above", "20%", "-o", "out.jfr"}, {"Validated", "4"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  // The busier the machine, the fewer stacks are compared.
  const Sums asgct = SumsOf(recording, "signal", "AsyncGetCallTrace");
  EXPECT_GE(asgct.judged, 20);
  // AsyncGetCallTrace finds the same stack at most signals. The command is there to count the others.
  EXPECT_LE(asgct.wrong, LikelyCounts(0.1 * asgct.judged).most);
  EXPECT_GE(SumsOf(recording, "safepoint", "AsyncGetCallTrace").judged, 20);
}

TEST_P(ValidateTest, TheStacksOfAllJvmsOfACommandAreAddedUp) {
  std::string command;
  for (const std::string& word : Java({"Validated", "1"}).argv) command += word + ' ';
  const ProcessResult run = Jprof({"validate", "--json", "--fail-above", "100%", "-o", "out.jfr",
                                   "--", "sh", "-c", command + "; " + command});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(CountOf(run.out, "sum "), 2u);
  double judged = 0;
  size_t recordings = 0;
  for (const std::string& file : FilesInFolder()) {
    const double more = SumsOf(ReadSound(file), "signal", "jprof").judged;
    EXPECT_GT(more, 0);
    judged += more;
    ++recordings;
  }
  EXPECT_EQ(recordings, 2u);
  EXPECT_THAT(run.out, HasSubstr("\"title\":\"" + std::to_string(static_cast<int64_t>(judged)) +
                                 " stacks compared"));
}

TEST_P(ValidateTest, AShareOfTheMethodsHasProbes) {
  const ProcessResult all =
      Validate({"--methods", "java.util.*.*", "--fail-above", "100%"}, {"Validated", "1"});
  const ProcessResult some = Validate(
      {"--methods", "java.util.*.*", "--share", "10%", "--fail-above", "100%", "-o", "out.jfr"},
      {"Validated", "1"});
  EXPECT_EQ(some.exit_code, 0) << some.Describe();
  EXPECT_GT(SumsOf(ReadSound("out.jfr"), "probes", "GetStackTrace").judged, 0);
  EXPECT_EQ(all.exit_code, 0) << all.Describe();
}

TEST_P(ValidateTest, TheExitCodeSaysWhetherTheRateIsKnown) {
  // A run of a second compares too few stacks to tell that less than 0.0001 % are wrong.
  const ProcessResult few = Validate({"--fail-above", "0.0001%"}, {"Validated", "1"});
  EXPECT_EQ(few.exit_code, 3) << few.Describe();
  EXPECT_THAT(few.err, HasSubstr("too few were compared"));
  const ProcessResult any = Validate({"--fail-above", "100%", "--json"}, {"Validated", "1"});
  EXPECT_EQ(any.exit_code, 0) << any.Describe();
  EXPECT_THAT(any.out, AllOf(HasSubstr("\"walker\":\"jprof\""), HasSubstr("\"wrong\":")));
}

TEST_P(ValidateTest, BadOptionsAreRefusedInOneLine) {
  EXPECT_THAT(Validate({"--methods", "Foo"}, {"Hello"}),
              FailedWith(kUsage, "'--methods Foo' cannot be traced: 'Foo' is not a method"));
  EXPECT_THAT(Validate({"--share", "0%"}, {"Hello"}), FailedWith(kUsage, "--share 0%"));
  EXPECT_THAT(Validate({"--share", "101%"}, {"Hello"}), FailedWith(kUsage, "101%"));
  EXPECT_THAT(Validate({"--fail-above", "3"}, {"Hello"}), FailedWith(kUsage, "--fail-above 3"));
  EXPECT_THAT(Jprof({"validate"}), FailedWith(kUsage, "TARGET is missing"));
}

TEST_P(ValidateTest, APatternThatMatchesNothingComparesNothing) {
  const ProcessResult run =
      Validate({"--methods", "no.such.Thing.*", "--fail-above", "100%"}, {"Hello"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("0 stacks compared"));
}

TEST_P(ValidateTest, AJvmThatRunsIsValidatedAndGoesOn) {
  Result<ServerProcess> server = ServerProcess::Start(Java({"Server", "2", "0"}));
  ASSERT_TRUE(server) << server.error().message();
  const ProcessResult run = JprofOn(
      server.value().pid(), {"validate", "-d", "3s", "--fail-above", "50%", "-o", "out.html"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(Content("out.html"), HasSubstr("StackValidation"));
  EXPECT_THAT(JprofOn(server.value().pid(), {"status"}), FailedWith(0, ""));
}

}  // namespace
}  // namespace jprof::test
