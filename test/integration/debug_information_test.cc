// The flag DebugNonSafepoints, which makes the compilers record debug information between
// safepoints (docs/adr/0027).
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class DebugInformationTest : public JvmTest {
 protected:
  // Expects values of the flag before, during and after two recordings.
  void ExpectFlags(const std::string& values, std::vector<std::string> jvm) const {
    jvm.push_back("-XX:+UnlockDiagnosticVMOptions");
    const ProcessResult run =
        RunProcess(Java({"DebugInformation", AgentLibrary(), NativeLibraryFolder(),
                         "start,cpu=10ms,file=" + Path("out-%t.jfr")},
                        jvm));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, testing::HasSubstr("flags=" + values + "\n")) << run.Describe();
  }
};

JPROF_ON_EVERY_JDK(DebugInformationTest);

// A JVM that does not export its flags sends the event CompiledMethodLoad instead.
TEST_P(DebugInformationTest, TheFlagIsTrueDuringARecording) {
  ExpectFlags(jdk().major < 11 ? "false false false false false" : "false true false true false",
              {});
}

TEST_P(DebugInformationTest, AFlagThatTheUserHasChosenIsNotChanged) {
  ExpectFlags("true true true true true",
              {"-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"});
  ExpectFlags("false false false false false",
              {"-XX:+UnlockDiagnosticVMOptions", "-XX:-DebugNonSafepoints"});
}

}  // namespace
}  // namespace jprof::test
