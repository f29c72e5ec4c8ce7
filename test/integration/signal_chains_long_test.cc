// A library installs its signal handlers in front of ours and removes them at random moments, for
// ten minutes or $JPROF_STORM_MS milliseconds. With libjsig, the library's handlers are called
// after the JVM's.
#include <cstdlib>

#include "integration/signal_chains_fixture.h"

namespace jprof::test {
namespace {

class SignalChainsLongTest : public SignalChainsTest {
 protected:
  static std::chrono::milliseconds Duration() {
    const char* const wanted = getenv("JPROF_STORM_MS");
    return wanted == nullptr ? std::chrono::minutes(10)
                             : std::chrono::milliseconds(std::stoll(wanted));
  }

  // Starts with a recording, so that our first handler is installed in front of the JVM's.
  ProcessSpec Storm() const {
    ProcessSpec spec = Program(
        {"start", "stop", "storm:" + std::to_string(Duration().count()), "come:11", "own:1000"});
    spec.timeout = 2 * Duration() + std::chrono::minutes(2);
    return spec;
  }

  static void ExpectWeathered(const ProcessResult& run) {
    ASSERT_NO_FATAL_FAILURE(ExpectHealthy(run));
    EXPECT_GE(ProgramOutput(run.out).Number("recordings"), 3);
  }
};
JPROF_ON_EVERY_JDK(SignalChainsLongTest);

TEST_P(SignalChainsLongTest, ALibraryComesAndGoesAsItLikes) {
  ExpectWeathered(RunProcess(Storm()));
}

TEST_P(SignalChainsLongTest, ALibraryComesAndGoesBehindTheJvm) {
  ExpectWeathered(RunProcess(UnderLibjsig(Storm())));
}

// Native code faults on purpose for the same time, while stacks are walked.
TEST_P(SignalChainsLongTest, ALibraryFaultsOnPurposeUnderLibjsig) {
  constexpr int kFaultsPerMs = 20;
  const auto faults = Duration().count() * kFaultsPerMs;
  ProcessSpec spec = Program(
      {"start", "come:11", "own:" + std::to_string(faults), "loads:1000000", "stop", "faults"});
  spec.timeout = 2 * Duration() + std::chrono::minutes(2);
  const ProcessResult run = RunProcess(UnderLibjsig(spec));
  ExpectHealthy(run, {"faults"});
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("own.reached"), static_cast<double>(faults));
  EXPECT_EQ(truth.Number("unreadable"), 1'000'000);
}

}  // namespace
}  // namespace jprof::test
