// Trace contexts when a second copy of the library is loaded. Each copy knows only the threads that
// got their context memory from it, and gives no thread another thread's context.
#include <filesystem>
#include <map>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class ContextCopiesTest : public JvmTest {
 protected:
  void Tell(const std::string& word) {
    running_->WriteLine(word);
    EXPECT_TRUE(running_->WaitForLine("ok").ok()) << word;
  }

  // Makes a recording with `library` while the main thread runs span1 and a new thread runs span2.
  // Returns the number of its samples by method (0 none, 1 span1, 2 span2) and recorded span.
  std::map<std::pair<int, int64_t>, int> Record(const std::string& library,
                                                const std::string& file) {
    const AttachResult started =
        AttachLibrary(library, running_->pid(), "start,cpu=1ms,context,file=" + Path(file));
    EXPECT_TRUE(started.Accepted()) << started.output;
    for (const char* word : {"put1", "span1", "fresh2", "clear", "none"}) Tell(word);
    EXPECT_TRUE(AttachLibrary(library, running_->pid(), "stop").Accepted());
    std::map<std::pair<int, int64_t>, int> samples;
    for (const Event& sample : ReadSound(file).OfType(kExecutionSample)) {
      const std::string methods[] = {"none", "span1", "span2"};
      for (int i = 0; i < 3; ++i) {
        if (sample.HasFrame("ContextCases." + methods[i])) ++samples[{i, sample.Number("spanId")}];
      }
    }
    return samples;
  }

  std::optional<RunningProcess> running_;
};
// JDK 8 is left out: its jcmd has no JVMTI.agent_load.
JPROF_ON_JDKS_FROM(9, ContextCopiesTest);

TEST_P(ContextCopiesTest, ASecondCopyKnowsTheThreadsThatComeAfterIt) {
  const std::string copy = Path("copy.so");
  std::filesystem::copy(AgentLibrary(), copy);
  auto program = RunningProcess::Start(Java({"-cp", ContextClasses(), "ContextCases", "waits"}));
  ASSERT_TRUE(program.ok()) << program.error().message();
  running_.emplace(std::move(program).value());
  ASSERT_TRUE(running_->WaitForLine("ready").ok());
  // The main thread gets its context memory from the first copy, and keeps it.
  struct Step {
    std::string library, file;
    int64_t main_span, fresh_span;
  };
  for (const Step& step : {Step{AgentLibrary(), "first.jfr", 1, 2}, Step{copy, "second.jfr", 0, 2},
                           Step{AgentLibrary(), "third.jfr", 1, 0}}) {
    auto samples = Record(step.library, step.file);
    EXPECT_EQ(samples.size(), 3u) << step.file;
    const std::pair<int, int64_t> none(0, 0);
    const std::pair main(1, step.main_span);
    const std::pair fresh(2, step.fresh_span);
    for (const auto& which : {none, main, fresh}) EXPECT_GE(samples[which], 50) << step.file;
  }
  running_->WriteLine("end");
  EXPECT_EQ(running_->Wait().exit_code, 0);
}

}  // namespace
}  // namespace jprof::test
