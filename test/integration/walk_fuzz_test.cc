// Our walkers run inside live JVMs on threads with altered registers, stacks and VM data. The JVM
// does not crash, every walk ends, and the program computes the right results.
#include <cstdio>
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr char kWalks[] = "JPROF_FUZZ_WALKS";
constexpr char kSeed[] = "JPROF_FUZZ_SEED";

class WalkFuzzTest : public JvmTest {
 protected:
  // Makes as many walks as the tier asks for. Prints the seed first, so that it is known even after
  // a crash.
  void Fuzz(const std::vector<std::string>& jvm_arguments) {
    const char* const wanted = getenv(kWalks);
    const std::string walks = wanted == nullptr ? "10000" : wanted;
    const char* const seed = getenv(kSeed);
    std::string options = "fuzz=" + walks;
    if (seed != nullptr) options += std::string(",seed=") + seed;
    std::vector<std::string> arguments = {
        "-agentpath:" + NativeLibraryFolder() + "/libwalk_probe.so=" + options, "-Xmx400m"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    ProcessSpec spec = Java({"Walked"}, arguments);
    spec.timeout = std::chrono::minutes(20);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    printf("%s", run.out.c_str());
    const ProgramOutput out(run.out);
    EXPECT_EQ(out.Number("wrong"), 0);
    EXPECT_GT(out.Number("rounds"), 0);
    EXPECT_EQ(out.Number("fuzz.wrong"), 0);
    EXPECT_GE(out.Number("fuzz.walks"), std::stod(walks));
  }
};
JPROF_ON_EVERY_JDK(WalkFuzzTest);

TEST_P(WalkFuzzTest, Default) { Fuzz({}); }

TEST_P(WalkFuzzTest, Interpreted) { Fuzz({"-Xint", "-XX:+UseSerialGC"}); }

TEST_P(WalkFuzzTest, CompiledByC1) { Fuzz({"-XX:TieredStopAtLevel=1", "-XX:+UseParallelGC"}); }

TEST_P(WalkFuzzTest, CodeThatIsCompiledAgainAndAgain) {
  Fuzz({"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-XX:ReservedCodeCacheSize=8m",
        "-XX:Tier4InvocationThreshold=500", "-XX:Tier3InvocationThreshold=50",
        "-XX:PerMethodRecompilationCutoff=-1"});
}

TEST_P(WalkFuzzTest, WithoutCompressedReferences) {
  Fuzz({"-XX:-UseCompressedOops", "-XX:+UseG1GC", "-XX:-TieredCompilation"});
}

}  // namespace
}  // namespace jprof::test
