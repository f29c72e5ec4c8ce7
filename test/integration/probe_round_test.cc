// Installing and removing probes stops the program once at a start and once at a stop, whichever
// engines need them.
#include <regex>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns the length of each safepoint in which the JVM changed classes.
std::vector<double> StandstillsNanos(const std::string& log) {
  static const std::regex line("Safepoint \"RedefineClasses\".*Total: +([0-9]+) ns");
  std::vector<double> nanos;
  for (std::sregex_iterator each(log.begin(), log.end(), line), end; each != end; ++each) {
    nanos.push_back(std::stod((*each)[1]));
  }
  return nanos;
}

class ProbeRoundTest : public CliTest {
 protected:
  // Runs Archived with these commands for the profiler. The first one starts a recording.
  ProcessResult Run(const std::vector<std::string>& commands) const {
    std::vector<std::string> program = {"Archived", AgentLibrary(), NativeLibraryFolder()};
    program.insert(program.end(), commands.begin(), commands.end());
    return RunProcess(Java(program, {"-Xlog:safepoint"}));
  }

  std::string Start(const std::string& events) const {
    return "start," + events + ",file=" + Path("out.jfr");
  }
};
JPROF_ON_JDKS_FROM(17, ProbeRoundTest);  // -Xlog:safepoint with the names of operations

TEST_P(ProbeRoundTest, AStartAndAStopHaltTheProgramOnceEach) {
  const ProcessResult run = Run({Start("cpu,lock,begin=java.lang.Thread.yield,"
                                       "trace=java.util.ArrayList.add+java.lang.String.length"),
                                 "stop"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.1=stopped: "));
  EXPECT_EQ(StandstillsNanos(run.out).size(), 2U) << run.out;
}

TEST_P(ProbeRoundTest, AFailedStartWithoutProbesNeverHaltsTheProgram) {
  const ProcessResult run = Run({Start("lock,begin=no_such_function_of_any_library")});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.0=failed: cannot start: "));
  EXPECT_EQ(StandstillsNanos(run.out).size(), 0U) << run.out;
}

// Compares the answers with the JVM's own log. A standstill whose length is near the limit may or
// may not be reported.
TEST_P(ProbeRoundTest, ReportsOnlyALongStandstill) {
  constexpr double kSurelyLong = 55e6;
  constexpr double kSurelyShort = 45e6;
  for (const char* classes : {"0", "20000"}) {
    const ProcessResult run = RunProcess(
        Java({"ManyClasses", AgentLibrary(), NativeLibraryFolder(), Start("lock"), classes},
             {"-Xlog:safepoint"}));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const std::vector<double> nanos = StandstillsNanos(run.out);
    ASSERT_EQ(nanos.size(), 2U) << run.out;
    for (size_t i = 0; i < nanos.size(); ++i) {
      const size_t at = run.out.find("answer." + std::to_string(i) + '=');
      const std::string answer = run.out.substr(at, run.out.find('\n', at) - at);
      if (nanos[i] > kSurelyLong) {
        EXPECT_THAT(answer, HasSubstr("the program stood still for "));
      } else if (nanos[i] < kSurelyShort) {
        EXPECT_THAT(answer, Not(HasSubstr("stood still")));
      }
    }
  }
}

}  // namespace
}  // namespace jprof::test
