// Methods that still run in the version before their class was redefined.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using testing::Not;
using testing::StartsWith;

// The lines of Spinner.spin in OldVersions.java.
constexpr int kFirstLine = 25;
constexpr int kLastLine = 33;

class OldVersionsTest : public JvmTest {
 protected:
  // Expects that the thread has samples, and that all of them have `method` in their stack.
  static void ExpectNamed(const std::vector<Event>& samples, const std::string& method,
                          const std::string& thread) {
    EXPECT_FALSE(samples.empty()) << thread;
    size_t without = 0;
    for (const Event& sample : samples) {
      without += sample.HasFrame(method) ? 0 : 1;
      for (const Frame& frame : sample.frames) EXPECT_THAT(frame.method, Not(StartsWith("jprof.")));
    }
    EXPECT_EQ(without, 0U) << thread << " of " << samples.size();
  }
};
JPROF_ON_EVERY_JDK(OldVersionsTest);

TEST_P(OldVersionsTest, OldVersionsKeepTheirNamesAndLines) {
  const ProcessResult run = RunProcess(
      Java({"OldVersions", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr"), "600"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  for (const std::string thread : {"original", "probed", "current"}) {
    const std::vector<Event> samples = SamplesOf(recording, kExecutionSample, thread);
    ExpectNamed(samples, "OldVersions$Spinner.spin", thread);
    for (const Event& sample : samples) {
      for (const Frame& frame : sample.frames) {
        if (frame.method != "OldVersions$Spinner.spin") continue;
        EXPECT_THAT(frame.line, AllOf(Ge(kFirstLine), Le(kLastLine))) << thread;
      }
    }
  }
  ExpectNamed(SamplesOf(recording, kWallClockSample, "parked"),
              "java.util.concurrent.locks.LockSupport.park", "parked");
  if (jdk().major < kFirstMajorWithVirtualThreads) return;
  ExpectNamed(SamplesOf(recording, kExecutionSample, "virtual"), "java.lang.VirtualThread.run",
              "virtual");
}

}  // namespace
}  // namespace jprof::test
