// After a stop the process is as the start found it, whatever other profilers did meanwhile.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

class RestoreTest : public JvmTest {
 protected:
  ProgramOutput Run(const std::string& scenario) {
    const std::string start = "start,event=ctimer,interval=1ms,wall=10ms,file=" + Path("out.jfr");
    const ProcessResult run =
        RunProcess(Java({"Restored", AgentLibrary(), start, NativeLibraryFolder(), scenario}));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("answer.stop=stopped")) << run.Describe();
    described_ = run.Describe();
    return ProgramOutput(run.out);
  }

  void ExpectChangedMeanwhile(const ProgramOutput& truth) const {
    for (const char* what : {"changed.slots", "changed.timers", "changed.actions"}) {
      EXPECT_EQ(truth.Number(what), 1) << what << described_;
    }
    EXPECT_EQ(truth.Number("changed.protections"), 0) << "a page is written to and protected again";
  }

  void ExpectAsBefore(const ProgramOutput& truth) const {
    for (const char* what : {"same.slots", "same.protections", "same.timers", "same.actions"}) {
      EXPECT_EQ(truth.Number(what), 1) << what << described_;
    }
  }

  std::string described_;
};
JPROF_ON_EVERY_JDK(RestoreTest);

TEST_P(RestoreTest, RestoresSlotsProtectionsTimersAndSignalActions) {
  const ProgramOutput truth = Run("alone");
  ExpectChangedMeanwhile(truth);
  ExpectAsBefore(truth);
}

TEST_P(RestoreTest, AnotherProfilerInBetweenChangesNothing) {
  const ProgramOutput truth = Run("inside");
  ExpectAsBefore(truth);
  EXPECT_EQ(truth.Number("other.creations"), 1);
  EXPECT_GE(truth.Number("other.signals"), 1);
}

// The other profiler, which takes over during our recording, restores our slots and handlers when
// it ends after us. No one removes these.
TEST_P(RestoreTest, LeavesWhatAnotherProfilerHasTaken) {
  const ProgramOutput truth = Run("over");
  for (const char* what : {"same.protections", "same.timers"}) {
    EXPECT_EQ(truth.Number(what), 1) << what << described_;
  }
  EXPECT_EQ(truth.Number("other.creations"), 1);
  EXPECT_GE(truth.Number("other.signals"), 1);
}

TEST_P(RestoreTest, CallsThroughAnotherProfilersSlot) {
  const ProgramOutput truth = Run("under");
  ExpectAsBefore(truth);
  EXPECT_EQ(truth.Number("other.creations"), 1);
}

// The constructor holds the dynamic linker's lock, which the search for new libraries needs.
TEST_P(RestoreTest, ALibrarysConstructorCanStopTheProfiler) {
  const std::string start = "start,cpu=1ms,file=" + Path("out.jfr");
  ProcessSpec spec = Java({"StopWhileLoading", AgentLibrary(), start, NativeLibraryFolder()});
  spec.env.emplace_back("JPROF_TEST_AGENT", AgentLibrary());
  const ProcessResult run = RunProcess(spec);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.stop=stopped")) << run.Describe();
}

}  // namespace
}  // namespace jprof::test
