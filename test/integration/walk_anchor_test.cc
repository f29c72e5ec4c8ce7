// Walks that start at the frame anchor of a thread (the last Java frame that the JVM has stored),
// in JVMTI callbacks for allocations. In interpreted and compiled code they have the same methods
// and bytecode indexes as JVMTI GetStackTrace at the same place.
#include <cstdio>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class WalkAnchorTest : public JvmTest {
 protected:
  static constexpr int kWalks = 20000;

  void Compare(const std::vector<std::string>& jvm_arguments) {
    std::vector<std::string> arguments = {"-agentpath:" + NativeLibraryFolder() +
                                              "/libwalk_probe.so=anchor=" + std::to_string(kWalks),
                                          "-Xmx400m"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    ProcessSpec spec = Java({"Walked"}, arguments);
    spec.timeout = std::chrono::minutes(5);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput out(run.out);
    EXPECT_EQ(out.Number("wrong"), 0);
    EXPECT_EQ(out.Number("anchor.different"), 0) << run.out;
    EXPECT_EQ(out.Number("anchor.not_started"), 0) << run.out;
    // A walk can break off if frames of a virtual thread are in the heap and the collector is
    // moving them.
    EXPECT_LE(out.Number("anchor.broken"), kWalks / 100) << run.out;
    EXPECT_GE(out.Number("anchor.same"), kWalks * 99 / 100) << run.out;
  }
};
// The JVM has the event for sampled allocations from JDK 11 on.
JPROF_ON_JDKS_FROM(11, WalkAnchorTest);

TEST_P(WalkAnchorTest, Default) { Compare({}); }

TEST_P(WalkAnchorTest, Interpreted) { Compare({"-Xint", "-XX:+UseSerialGC"}); }

TEST_P(WalkAnchorTest, CompiledByC1) { Compare({"-XX:TieredStopAtLevel=1"}); }

}  // namespace
}  // namespace jprof::test
