// Trace contexts under load: a storm of changes, and many virtual threads. JPROF_CONTEXT_TURNS is
// the length of the storm, with one and a half changes for each turn, and JPROF_CONTEXT_SPIN the
// work in each, in steps.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "integration/context_census.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr std::chrono::minutes kAtMost{120};

class ContextLoadTest : public JvmTest {
 protected:
  ContextCensus Judge(const std::string& options, const std::vector<std::string>& arguments) {
    std::vector<std::string> program = {"-cp", ContextClasses(), "Contexts"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    ProcessSpec spec = Java(
        program, {AgentArgument("start,context," + options + ",file=" + Path("out.jfr")), "-Xmx1g",
                  "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Contexts.span*",
                  "-XX:CompileCommand=dontinline,Contexts.none"});
    spec.timeout = kAtMost;
    const ProcessResult run = RunProcess(spec);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    counted_ = std::max<int64_t>(0, AgentLog(run.err).LastCount("samples without context"));
    ContextCensus census;
    const auto read = profile::ReadJfr(Path("out.jfr"), census);
    EXPECT_TRUE(read.ok()) << read.error().message();
    std::cout << census.samples() << " samples, " << census.marked() << " of a marked method, "
              << census.missing() << " of them without context, " << census.wrong() << " wrong, "
              << census.torn() << " torn, " << census.foreign() << " of another thread, "
              << census.CountStale() << " stale\n"
              << run.out << run.err;
    EXPECT_EQ(census.wrong() + census.torn() + census.foreign() + census.CountStale(), 0u)
        << census.faults();
    EXPECT_EQ(census.wrong_callers(), 0u) << census.faults();
    return census;
  }

  int64_t counted_ = 0;  // samples without a context, as the agent reports
};
JPROF_ON_EVERY_JDK(ContextLoadTest);

TEST_P(ContextLoadTest, TheFastestSamplingSeesNoTornOrStaleChange) {
  const char* const turns = std::getenv("JPROF_CONTEXT_TURNS");
  const char* const spin = std::getenv("JPROF_CONTEXT_SPIN");
  const ContextCensus census = Judge(
      "cpu=100us", {"2", turns != nullptr ? turns : "10000000", spin != nullptr ? spin : "50"});
  EXPECT_GE(census.marked(), 1000u);
  EXPECT_EQ(census.missing(), 0u) << "a context in every sample whose thread has one";
}

class VirtualContextLoadTest : public ContextLoadTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualContextLoadTest);

// No sample has another thread's context (see Judge), and samples without one are counted.
TEST_P(VirtualContextLoadTest, EachOfAHundredThousandThreadsHasItsOwnContext) {
  const ContextCensus census = Judge("cpu=1ms", {"100000", "10", "5000", "virtual"});
  EXPECT_GE(census.marked(), 2000u);
  EXPECT_LE(census.missing(), static_cast<uint64_t>(counted_));
  if (jdk().major >= 24) {
    EXPECT_LE(census.missing(), census.marked() / 1000);
  }
}

}  // namespace
}  // namespace jprof::test
