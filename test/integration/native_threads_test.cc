// The profiler knows threads that native code creates from their first instruction to their last.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class NativeThreadsTest : public JvmTest {
 protected:
  // Returns the CPU time recorded for native threads as a share of the CPU time that they used.
  double Represented(const std::string& burn_micros) const {
    const ProcessResult run =
        RunProfiled("start,cpu=5ms,file=" + Path("out.jfr"), {"NativeThreads", "2000", burn_micros},
                    {"-Djava.library.path=" + NativeLibraryFolder()});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    const auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(5));
    const auto own = cpu.find("native-short");
    const double credited = own == cpu.end() ? 0 : own->second;
    return credited / ProgramOutput(run.out).Number("cpu.native");
  }
};
JPROF_ON_EVERY_JDK(NativeThreadsTest);

// Each thread is much shorter than the interval, so that it has a sample at random: 2000 such draws
// have a standard deviation of 2 %.
TEST_P(NativeThreadsTest, TheirCpuTimeIsWithinATenthOfTheTruthThoughEachIsShort) {
  EXPECT_NEAR(Represented("3000"), 1.0, 0.1);
}

}  // namespace
}  // namespace jprof::test
