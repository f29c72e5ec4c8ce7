// Other handlers of the signals that we use. A library installs and removes them between
// recordings, or libjsig keeps them and calls them after the JVM's handler.
#include "integration/signal_chains_fixture.h"
#include "jfr/writer/jfr_file.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

JPROF_ON_EVERY_JDK(SignalChainsTest);

TEST_P(SignalChainsTest, ALibraryThatStaysInFrontMakesNoCircleWithTheNextRecording) {
  const ProcessResult run = RunWell({"start", "come:11", "come:7", "stop", "start", "faults",
                                     "own:1000", "loads:1000", "stop", "faults"});
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("own.reached"), 1000);
  EXPECT_EQ(truth.Number("unreadable"), 1000);
  EXPECT_GE(truth.Number("calls.11"), 2 * kNullsOfAStep);
}

TEST_P(SignalChainsTest, ALibraryCanLeaveDuringTheNextRecording) {
  const ProcessResult run = RunWell({"start", "come:11", "stop", "start", "faults", "leave:11",
                                     "faults", "loads:1000", "stop", "faults"});
  EXPECT_EQ(ProgramOutput(run.out).Number("unreadable"), 1000);
}

TEST_P(SignalChainsTest, ALibraryCanComeInFrontAgain) {
  RunWell({"start", "come:11", "stop", "start", "come:11", "faults", "own:1000", "stop", "faults"});
}

// The library restores the handler that it has replaced, which is the JVM's, and so removes ours.
TEST_P(SignalChainsTest, AnEarlierLibraryCanRemoveOurHandler) {
  const ProcessResult run = RunWell(
      {"come:11", "start", "leave:11", "another:11", "loads:1000", "faults", "stop", "faults"});
  EXPECT_EQ(ProgramOutput(run.out).Number("unreadable"), 1000);
}

// The library installs its handler a second time, in front of ours, which it now saves in place of
// the JVM's. After that neither the library nor the profiler has the JVM's handler in its saved
// action.
TEST_P(SignalChainsTest, AnEarlierLibraryCanComeInFrontAgain) {
  RunWell({"come:11", "start", "come:11", "faults", "own:1000", "stop", "faults"});
}

TEST_P(SignalChainsTest, ALibraryInFrontPreventsTheNextRecording) {
  const Steps steps = {"start",    "come:27", "come:26",  "faults",   "stop",
                       "start",    "faults",  "raise:27", "raise:26", "leave:27",
                       "leave:26", "start",   "faults",   "stop",     "faults"};
  const ProcessResult run = RunProcess(Program(steps));
  ExpectHealthy(run, steps);
  EXPECT_THAT(run.out,
              HasSubstr("answer.5=failed: cannot start: SIGVTALRM is handled already, by"));
  EXPECT_THAT(run.out, HasSubstr("libsignal_chains.so: another profiler is at work"));
  EXPECT_THAT(run.out, HasSubstr("answer.11=recording"));
  EXPECT_THAT(run.out, HasSubstr("answer.13=stopped"));
  EXPECT_GT(ProgramOutput(run.out).Number("calls.27"), 1);
}

class LibjsigTest : public SignalChainsTest {};
JPROF_ON_EVERY_JDK(LibjsigTest);

TEST_P(LibjsigTest, WalksAndLeavesFaultsToTheLibrary) {
  const Steps steps = {"start", "come:11", "faults",  "own:1000", "loads:1000",
                       "stop",  "start",   "faults",  "own:1000", "loads:1000",
                       "stop",  "faults",  "own:1000"};
  const ProcessResult run = RunProcess(UnderLibjsig(Program(steps)));
  ExpectHealthy(run, steps);
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("own.reached"), 1000);
  EXPECT_EQ(truth.Number("unreadable"), 1000);
  EXPECT_EQ(truth.Number("calls.11"), 3000) << "the JVM's faults are not the library's";
}

TEST_P(LibjsigTest, ACrashOfNativeCodeEndsAsWithoutUs) {
  const auto report = [this](const std::string& name) {
    return std::vector<std::string>{"-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + Path(name)};
  };
  const ProcessResult without =
      RunProcess(UnderLibjsig(Program({"faults", "crash"}, report("alone.log"))));
  const ProcessResult with =
      RunProcess(UnderLibjsig(Program({"start", "faults", "crash"}, report("with.log"))));
  EXPECT_NE(without.exit_code, 0) << without.Describe();
  EXPECT_EQ(with.exit_code, without.exit_code) << with.Describe();
  EXPECT_EQ(with.signal, without.signal) << with.Describe();
  EXPECT_THAT(ReadFile(Path("alone.log")), HasSubstr("Java_SignalChains_crash"));
  EXPECT_THAT(ReadFile(Path("with.log")), HasSubstr("Java_SignalChains_crash"));
}

TEST_P(LibjsigTest, CheckedJniReportsNothing) {
  const Steps steps = {"start", "faults", "loads:1000", "stop"};
  ExpectHealthy(RunProcess(UnderLibjsig(Program(steps, {"-Xcheck:jni"}))), steps);
}

}  // namespace
}  // namespace jprof::test
