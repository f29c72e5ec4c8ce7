// audit=: in a program that allocates and waits in many ways, every stack that our walker finds is
// the one that the JVM reports. The counts are in the answer to `stop`, in the chunks, in a view and
// in the page.
#include <cmath>

#include "base/audit_counts.h"
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kAudit[] = "profiler.StackAudit";

class AuditTest : public CliTest {
 protected:
  // Runs Audited for a time in seconds with a recording.
  ProcessResult Run(const std::string& options, const std::string& seconds,
                    const std::vector<std::string>& jvm_arguments = {}) {
    std::vector<std::string> arguments = {"-Xmx600m"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    ProcessResult run =
        RunProfiled("start,alloc=64k,lock=100us,chunktime=1s,file=" + Path("out.jfr") + options,
                    {"Audited", seconds}, arguments);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_EQ(ProgramOutput(run.out).Number("wrong"), 0);
    recording_ = ReadSound("out.jfr");
    return run;
  }

  // Returns the sums of the counts of all chunks.
  AuditCounts Counts() const {
    AuditCounts counts;
    for (size_t i = 0; i < kAuditResults; ++i) {
      counts.by_result[i] =
          static_cast<uint64_t>(recording_.Sum(kAudit, std::string(kAuditResultNames[i])));
    }
    EXPECT_EQ(static_cast<uint64_t>(recording_.Sum(kAudit, "compared")), counts.compared());
    return counts;
  }

  // Audits all samples of a run, and expects that none of at least `least` is wrong.
  void ExpectNoneWrong(uint64_t least, const std::vector<std::string>& jvm_arguments) {
    const ProcessResult run = Run(",audit=100%", "4", jvm_arguments);
    const AuditCounts counts = Counts();
    const std::string line = "audit: " + AuditText(counts);
    EXPECT_GE(counts.compared(), least) << line;
    EXPECT_EQ(counts.wrong(), 0u) << run.err;
    // One thread has stacks that are deeper than those that are kept. Frames of virtual threads can
    // be in the heap while a collector moves them. A carrier runs code of its own on top of the
    // frames of a virtual thread.
    EXPECT_GE(counts[AuditResult::kDeclared], 1u) << line;
    EXPECT_LE(counts[AuditResult::kDeclared], counts.compared() / 4) << line;
    EXPECT_LE(counts[AuditResult::kNotCompared], counts.compared() / 1'000) << line;
    EXPECT_EQ(AgentLog(run.err).LinesWith(line), 1) << run.err;
    EXPECT_EQ(AgentLog(run.err).LinesWith("warning: audit"), 0) << run.err;
    EXPECT_GE(recording_.Count(kAudit), 3) << "one in each chunk";
  }

  Recording recording_{{}};
};
JPROF_ON_JDKS_FROM(11, AuditTest);

TEST_P(AuditTest, StacksAreThoseOfTheJvm) { ExpectNoneWrong(10'000, {}); }

TEST_P(AuditTest, StacksOfInterpretedCodeAreThoseOfTheJvm) {
  ExpectNoneWrong(1'000, {"-Xint", "-XX:+UseSerialGC"});
}

TEST_P(AuditTest, StacksOfC1AreThoseOfTheJvm) {
  ExpectNoneWrong(10'000, {"-XX:TieredStopAtLevel=1", "-XX:+UseParallelGC"});
}

// With 40/10, the frames at the root are kept. With 3/0, they are not, and no placeholder stands for
// them.
TEST_P(AuditTest, PartsOfDeepStacksAreThoseOfTheJvm) {
  for (const std::string depth : {"40/10", "3/0"}) {
    const ProcessResult run = Run(",audit=100%,jstackdepth=" + depth, "2");
    const AuditCounts counts = Counts();
    EXPECT_EQ(counts.wrong(), 0u) << depth << run.err;
    EXPECT_GE(counts[AuditResult::kDeclared], 5u) << depth;
  }
}

// The draws are independent, so the number of audited samples has a binomial distribution. The
// margin is for samples without an event (objects of the probes) and for samples that are not
// audited (monitors of virtual threads).
TEST_P(AuditTest, AuditsTheRequestedShare) {
  Run(",audit=5%", "3");
  const AuditCounts counts = Counts();
  const auto audited = static_cast<double>(counts.compared() + counts[AuditResult::kDeclared] +
                                           counts[AuditResult::kNotCompared]);
  double samples = 0;
  for (const char* type : {"profiler.AllocatedObject", "jdk.JavaMonitorEnter",
                           "jdk.JavaMonitorWait", "jdk.ThreadPark"}) {
    samples += static_cast<double>(recording_.Count(type));
  }
  ASSERT_GE(samples, 2'000);
  EXPECT_GE(audited / samples, 0.05 - 4 * std::sqrt(0.05 / samples) - 0.01);
  EXPECT_LE(audited / samples, 0.05 + 4 * std::sqrt(0.05 / samples) + 0.01);
}

TEST_P(AuditTest, ShowsTheCountsInTheViewAndInThePage) {
  Run(",audit=100%", "2");
  const std::string line = AuditText(Counts());
  EXPECT_THAT(Jprof({"view", "losses", Path("out.jfr")}), Printed("audit: " + line));
  EXPECT_EQ(Jprof({"convert", Path("out.jfr"), Path("out.html")}).exit_code, 0);
  EXPECT_THAT(Content("out.html"), HasSubstr("\"audit\":\"" + line + "\""));
}

TEST_P(AuditTest, WithoutTheOptionNothingIsCompared) {
  const ProcessResult run = Run("", "1");
  EXPECT_EQ(recording_.Count(kAudit), 0);
  EXPECT_EQ(AgentLog(run.err).LinesWith("audit:"), 0) << run.err;
  EXPECT_THAT(Jprof({"view", "losses", Path("out.jfr")}).out, testing::Not(HasSubstr("audit")));
}

}  // namespace
}  // namespace jprof::test
