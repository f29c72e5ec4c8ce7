// While we catch the faults of our own reads, the JVM still handles the faults of its own code, and
// its crashes are reported as without us.
#include <cstdlib>
#include <fstream>
#include <regex>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// In code compiled by C1, every null pointer is found by a load that faults.
const std::vector<std::string> kEveryNullFaults = {"-XX:TieredStopAtLevel=1",
                                                   "-XX:-OmitStackTraceInFastThrow", "-Xmx256m"};

std::string NullsWanted() {
  const char* const wanted = getenv("JPROF_FAULTS");
  return wanted == nullptr ? "200000" : wanted;
}

class FaultTest : public JvmTest {
 protected:
  std::string Options() const { return "start,cpu=1ms,wall=5ms,file=" + Path("out.jfr"); }

  ProcessResult RunFaults(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = kEveryNullFaults;
    all.insert(all.end(), arguments.begin(), arguments.end());
    ProcessSpec spec = Java({"Faults", NullsWanted(), "30"}, all);
    spec.timeout = std::chrono::minutes(10);
    return RunProcess(spec);
  }

  static void ExpectAllCaught(const ProcessResult& run) {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_EQ(truth.Number("nulls"), std::stod(NullsWanted()));
    EXPECT_EQ(truth.Number("overflows"), 30);
    EXPECT_EQ(truth.Number("wrong"), 0);
    EXPECT_GT(truth.Number("safepoints"), 0);
    EXPECT_THAT(run.out + run.err, Not(HasSubstr("handler modified")));
  }

  // Returns the problematic frame of the JVM's crash report, without addresses.
  std::string ProblematicFrame(const std::string& report) const {
    std::ifstream file(Path(report));
    for (std::string line; std::getline(file, line);) {
      if (line != "# Problematic frame:") continue;
      std::getline(file, line);
      return std::regex_replace(line, std::regex("0x[0-9a-f]+"), "0x");
    }
    return "no crash report " + report;
  }

  std::vector<std::string> ReportTo(const std::string& report) const {
    return {"-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + Path(report)};
  }

  void ExpectSameCrash(const ProcessResult& run, const std::string& report) const {
    const ProcessResult without = RunProcess(Java({"Crash", "300"}, ReportTo("alone.log")));
    EXPECT_NE(without.exit_code, 0) << without.Describe();
    EXPECT_EQ(run.exit_code, without.exit_code) << run.Describe();
    EXPECT_EQ(run.signal, without.signal) << run.Describe();
    EXPECT_EQ(ProblematicFrame(report), ProblematicFrame("alone.log"));
    EXPECT_THAT(ProblematicFrame(report), HasSubstr("# "));
  }
};
JPROF_ON_EVERY_JDK(FaultTest);

TEST_P(FaultTest, NullPointersOverflowsAndSafepointsAreAsWithoutUs) {
  ExpectAllCaught(RunFaults({AgentArgument(Options())}));
  EXPECT_GT(ReadSound("out.jfr").Count(kExecutionSample), 0);
}

TEST_P(FaultTest, FaultsAreAsWithoutUsWhereUserHandlersAreAllowed) {
  ExpectAllCaught(RunFaults({AgentArgument(Options()), "-XX:+AllowUserSignalHandlers"}));
}

TEST_P(FaultTest, KeepsHandlersThatTheJvmChecks) {
  const ProcessResult run = RunFaults({AgentArgument(Options()), "-Xcheck:jni"});
  ExpectAllCaught(run);
  EXPECT_THAT(run.err, HasSubstr("walked by AsyncGetCallTrace: -Xcheck:jni"));
}

TEST_P(FaultTest, WalksWhereUserHandlersAreAllowed) {
  const ProcessResult run =
      RunFaults({AgentArgument(Options()), "-Xcheck:jni", "-XX:+AllowUserSignalHandlers"});
  ExpectAllCaught(run);
  EXPECT_THAT(run.err, Not(HasSubstr("AsyncGetCallTrace")));
}

TEST_P(FaultTest, FaultsAreAsWithoutUsUnderAsyncGetCallTrace) {
  ExpectAllCaught(RunFaults({AgentArgument(Options() + ",cstack=agct")}));
}

TEST_P(FaultTest, ACrashIsReportedAsWithoutUs) {
  std::vector<std::string> arguments = ReportTo("with.log");
  arguments.push_back(AgentArgument(Options()));
  ExpectSameCrash(RunProcess(Java({"Crash", "300"}, arguments)), "with.log");
}

TEST_P(FaultTest, ACrashAfterAnAttachIsReportedAsWithoutUs) {
  auto process = RunningProcess::Start(Java({"Crash", "300", "wait"}, ReportTo("attached.log")));
  ASSERT_TRUE(process.ok()) << process.error().message();
  ASSERT_TRUE(process.value().WaitForLine("ready").ok());
  ASSERT_TRUE(Attach(process.value().pid(), Options()).Accepted());
  process.value().WriteLine("go on");
  ExpectSameCrash(process.value().Wait(), "attached.log");
}

}  // namespace
}  // namespace jprof::test
