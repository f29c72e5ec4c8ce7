// The probes in java.lang.VirtualThread stay there between recordings. If each start and stop
// changed the class, HotSpot would keep an old version of it each time.
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "support/text.h"

namespace jprof::test {
namespace {

class VirtualProbesTest : public CliTest {
 protected:
  static constexpr int kRounds = 4;
  static constexpr int kThreads = 200;

  // Makes recordings one after another. Before number `changed`, another agent retransforms the
  // class.
  ProcessResult RunRounds(int changed) const {
    return RunProcess(Java(
        {"VirtualRounds", AgentLibrary(), NativeLibraryFolder(), folder(), std::to_string(kRounds),
         std::to_string(kThreads), std::to_string(changed)},
        {OtherAgentArgument(), "-Xlog:redefine+class+load=info:file=" + Path("redefined.log")}));
  }

  size_t RedefinitionsOfVirtualThread() const {
    return CountOf(Content("redefined.log"), "redefined name=java.lang.VirtualThread,");
  }

  void ExpectExactLives() const {
    for (int round = 0; round < kRounds; ++round) {
      int64_t started = 0;
      int64_t ended = 0;
      int64_t sleeps = 0;
      for (const Event& event :
           ReadSound(std::to_string(round) + ".jfr").OfType("profiler.VirtualThreadTime")) {
        started += event.Number("started");
        ended += event.Number("ended");
        sleeps += event.Number("sleeps");
      }
      EXPECT_EQ(started, kThreads) << round;
      EXPECT_EQ(ended, kThreads) << round;
      EXPECT_EQ(sleeps, kThreads) << round;
    }
  }
};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualProbesTest);

TEST_P(VirtualProbesTest, ChangesTheClassOnceForAllRecordings) {
  const ProcessResult run = RunRounds(-1);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectExactLives();
  EXPECT_EQ(RedefinitionsOfVirtualThread(), 1U);
}

TEST_P(VirtualProbesTest, PutsBackProbesThatAnotherAgentHasTakenOut) {
  const ProcessResult run = RunRounds(2);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectExactLives();
  EXPECT_EQ(RedefinitionsOfVirtualThread(), 3U);
}

}  // namespace
}  // namespace jprof::test
