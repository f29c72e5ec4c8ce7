// Tracing is started and stopped a thousand times in one JVM, whose collections reclaim all that it
// leaves.
#include <iostream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

constexpr double kMegabyte = 1 << 20;

// Has a small code cache, so that unused code is soon swept away.
const std::vector<std::string> kQuietJvm = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                                            "-XX:ReservedCodeCacheSize=48m", "-Xmx64m"};

class TraceCyclesTest : public CliTest {};
JPROF_ON_EVERY_JDK(TraceCyclesTest);

TEST_P(TraceCyclesTest, AThousandStartsLeaveMetaspaceAndCodeCacheUnchanged) {
  ProcessSpec spec =
      Java({"TraceCycles", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr"), "1000", "100"},
           kQuietJvm);
  spec.timeout = std::chrono::minutes(20);
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  std::cout << run.out;
  EXPECT_EQ(truth.Number("wrong"), 0);
  EXPECT_LE(truth.Number("metaspace.last"), truth.Number("metaspace.first") + kMegabyte);
  EXPECT_LE(truth.Number("code.last"), truth.Number("code.first") + kMegabyte);
  ReadSound("out.jfr");
}

}  // namespace
}  // namespace jprof::test
