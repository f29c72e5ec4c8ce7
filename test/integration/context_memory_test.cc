// The memory of trace contexts: what keeps it alive, and when it is released.
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/context_program.h"

namespace jprof::test {
namespace {

class ContextMemoryTest : public CliTest {
 protected:
  ProcessResult Run(const std::string& options, const std::vector<std::string>& program,
                    const std::vector<std::string>& jvm_arguments = {}) const {
    ProcessResult run = RunProfiled("start," + options + ",file=" + Path("out.jfr"),
                                    ContextProgram(program), jvm_arguments);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run;
  }

  // Returns the number of samples by span: N in the program's method spanN, 0 in its method none.
  // Expects that each of these samples carries its span.
  std::map<int, int> ExpectOwnSpans(const std::string& program) const {
    std::map<int, int> by_span;
    for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
      for (const auto& [method, span] :
           std::map<std::string, int>{{"none", 0}, {"span1", 1}, {"span2", 2}}) {
        if (!sample.HasFrame(program + "." + method)) continue;
        ++by_span[span];
        EXPECT_EQ(sample.Number("spanId"), span) << method;
      }
    }
    return by_span;
  }

  // Runs ErasedContexts, which erases the thread-local variables of its threads, and expects that
  // their contexts survive.
  void ExpectContextsSurvive(const std::string& thread,
                             const std::vector<std::string>& jvm_arguments) {
    const ProcessResult run = Run("cpu=1ms,context", {"ErasedContexts", thread}, jvm_arguments);
    const std::map<int, int> samples = ExpectOwnSpans("ErasedContexts");
    EXPECT_EQ(samples.size(), 3u);
    for (const auto& [span, count] : samples) EXPECT_GE(count, 20) << span;
    const ProgramOutput said(run.out);
    EXPECT_EQ(said.Number("buffers"), 1) << "allocated again";
    erased_ = static_cast<int>(said.Number("erased"));
  }

  void ExpectCopiesKnowOfEachOther(const std::vector<std::string>& kind) {
    std::vector<std::string> program = {"CopiedContexts"};
    program.insert(program.end(), kind.begin(), kind.end());
    Run("cpu=1ms,context", program);
    const std::map<int, int> samples = ExpectOwnSpans("CopiedContexts");
    EXPECT_EQ(samples.size(), 3u);
    for (const auto& [span, count] : samples) EXPECT_GE(count, 10) << span;
  }

  std::vector<std::string> OpenThread() const {
    if (jdk().major < 9) return {};
    return {"--add-opens=java.base/java.lang=ALL-UNNAMED"};
  }

  int erased_ = 0;
};
JPROF_ON_EVERY_JDK(ContextMemoryTest);

TEST_P(ContextMemoryTest, AContextOutlivesTheThreadLocalVariablesOfItsThread) {
  ExpectContextsSurvive("platform", OpenThread());
}

// On JDK 17 and 25, but not on 21, the common pool erases thread-local variables between some of
// its tasks.
TEST_P(ContextMemoryTest, TasksOfTheCommonPoolChangeTheContextThatItsThreadHas) {
  ExpectContextsSurvive("pool", {"-Djava.util.concurrent.ForkJoinPool.common.parallelism=4"});
  if (jdk().major >= 25) {
    EXPECT_GE(erased_, 2) << "not only at first";
  }
}

TEST_P(ContextMemoryTest, ACopyClearsAContextThatAnotherCopyHasSet) {
  ExpectCopiesKnowOfEachOther({});
}

class VirtualContextMemoryTest : public ContextMemoryTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualContextMemoryTest);

TEST_P(VirtualContextMemoryTest, AContextOutlivesTheThreadLocalVariablesOfItsThread) {
  ExpectContextsSurvive("virtual", OpenThread());
}

TEST_P(VirtualContextMemoryTest, ACopyClearsAContextThatAnotherCopyHasSet) {
  ExpectCopiesKnowOfEachOther({"virtual"});
}

TEST_P(VirtualContextMemoryTest, MemoryIsGivenBackWhenTheClassLoaderOfItsThreadsIsUnloaded) {
  const ProcessResult run = Run("cpu=1ms,context", {"UnloadedContexts", "unloaded"}, {"-Xmx256m"});
  EXPECT_EQ(ProgramOutput(run.out).Number("unloaded"), 1) << run.Describe();
  EXPECT_GE(ExpectOwnSpans("UnloadedContexts")[1], 20);
  EXPECT_EQ(AgentLog(run.err).LinesWith("contexts not kept"), 0) << run.err;
}

TEST_P(VirtualContextMemoryTest, ContextsWithoutMemoryAreCounted) {
  const ProcessResult run = Run("cpu,context", {"UnloadedContexts", "held"}, {"-Xmx1g"});
  const int64_t refused = AgentLog(run.err).LastCount("contexts not kept");
  EXPECT_GE(refused, ProgramOutput(run.out).Number("put") - 262'144);
  EXPECT_LE(refused, ProgramOutput(run.out).Number("put") / 10);
  const ProcessResult losses = Jprof({"view", "losses", "--json", "--limit", "0", Path("out.jfr")});
  EXPECT_THAT(losses.out,
              testing::HasSubstr("\"lost\":" + std::to_string(refused) +
                                 ",\"reason\":\"missing contexts: no memory, or too many"))
      << losses.Describe();
}

}  // namespace
}  // namespace jprof::test
