// trace= together with other agents that redefine or define classes at the same time.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;

class TraceBesideTest : public CliTest {
 protected:
  void ExpectExactCounts(const std::vector<std::string>& jvm_arguments) const {
    const ProcessResult run = RunProcess(Java(
        {"TraceBeside", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr")}, jvm_arguments));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    for (const std::string order : {"0", "1", "2", "3"}) {
      EXPECT_EQ(truth.Number("entries." + order), truth.Number("calls." + order)) << run.out;
      EXPECT_EQ(truth.Number("exits." + order), truth.Number("calls." + order)) << run.out;
      EXPECT_EQ(truth.Number("changed." + order), 0) << run.out;
      const auto ours = static_cast<int>(truth.Number("ours." + order));
      EXPECT_THAT(run.out, ContainsRegex("answer." + order + "=[^\n]*Target.twice.I.I: " +
                                         std::to_string(ours) + " calls, " +
                                         std::to_string(ours / 2) + " ended by an exception"));
    }
  }
};
JPROF_ON_EVERY_JDK(TraceBesideTest);

TEST_P(TraceBesideTest, ProbesOfTwoAgentsCanBeRemovedInAnyOrder) {
  const std::string other = OtherAgentArgument();
  ExpectExactCounts({other});
  // In this run our agent is the first that sees each class.
  ExpectExactCounts({AgentArgument("start,trace=No.such,file=" + Path("first.jfr")), other});
}

// If the JVM refuses a redefinition, the class keeps its version.
TEST_P(TraceBesideTest, ARedefinedClassKeepsItsLastVersion) {
  const std::string other = OtherAgentArgument();
  const std::string ours = AgentArgument("start,trace=No.such,file=" + Path("first.jfr"));
  // In the first run the other agent sees each class first, in the second run ours does.
  for (const auto& agents : {std::vector{other}, std::vector{ours, other}}) {
    const ProcessResult run = RunProcess(
        Java({"HotSwaps", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr")}, agents));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    const auto versions = truth.NumbersOf("version.");
    EXPECT_EQ(versions.size(), 30U) << run.out;
    for (const auto& [when, version] : versions) {
      EXPECT_EQ(version, truth.Number("expected." + when)) << when << " of " << agents.size();
    }
  }
}

TEST_P(TraceBesideTest, TracesClassesThatAreDefinedDuringTheStart) {
  ProcessSpec spec =
      Java({"TraceStorm", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr"), "4", "10"},
           {"-XX:+UseSerialGC"});
  spec.timeout = std::chrono::minutes(10);
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("wrong"), 0) << run.out;
  EXPECT_GT(truth.Number("classes"), 100);
}

}  // namespace
}  // namespace jprof::test
