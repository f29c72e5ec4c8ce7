// Readers in other processes see contexts as the proposed standards describe them.
#include "integration/outside_reader.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OutsideReaderTest : public JvmTest {
 protected:
  ProcessSpec Waiting(const std::string& options) const {
    return Java({"-cp", ContextClasses(), "ContextCases", "waits"},
                {AgentArgument("start,cpu=10ms," + options + "file=" + Path("out.jfr"))});
  }
};
JPROF_ON_EVERY_JDK(OutsideReaderTest);

TEST_P(OutsideReaderTest, ShowsTheProcessContextAndTheOnlyThreadContext) {
  // The option contextexport changes nothing for platform threads.
  auto program = RunningProcess::Start(Waiting("context,contextexport,attributes=tenant;route,"));
  ASSERT_TRUE(program.ok()) << program.error().message();
  RunningProcess& running = program.value();
  ASSERT_TRUE(running.WaitForLine("ready").ok());
  const auto tell = [&](const std::string& word) {
    running.WriteLine(word);
    EXPECT_TRUE(running.WaitForLine("ok").ok()) << word;
  };
  const OutsideReader reader(running.pid(), AgentLibrary());
  EXPECT_EQ(reader.CheckSymbol(), "");
  EXPECT_THAT(reader.Threads(), IsEmpty());

  auto process = reader.Process();
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->version, 2u);
  EXPECT_NE(process->published_at_ns, 0u);
  EXPECT_EQ(process->schema, "tlsdesc_v1_dev");
  EXPECT_THAT(process->key_map, ElementsAre("local_root_span_id", "tenant", "route"));
  const uint64_t first = process->published_at_ns;

  tell("trace");
  auto threads = reader.Threads();
  ASSERT_EQ(threads.size(), 1u);
  OutsideThreadContext context = threads.begin()->second;
  EXPECT_EQ(context.valid, 1);
  EXPECT_EQ(context.flags, 1);
  EXPECT_EQ(context.trace_id, "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(context.span_id, "00000000000000ff");
  EXPECT_THAT(context.attributes, ElementsAre(std::pair(0, "0f1e2d3c4b5a6978")));

  tell("tag");  // a tag whose name is new to the process
  process = reader.Process();
  ASSERT_TRUE(process.has_value());
  EXPECT_THAT(process->key_map, ElementsAre("local_root_span_id", "tenant", "route", "stage"));
  EXPECT_GT(process->published_at_ns, first);
  threads = reader.Threads();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_THAT(threads.begin()->second.attributes,
              ElementsAre(std::pair(0, "0f1e2d3c4b5a6978"), std::pair(3, "first")));

  tell("put1");  // a context without a trace, and so without ids
  threads = reader.Threads();
  ASSERT_EQ(threads.size(), 1u);
  context = threads.begin()->second;
  EXPECT_EQ(context.trace_id, std::string(32, '0'));
  EXPECT_EQ(context.span_id, std::string(16, '0'));
  EXPECT_EQ(context.flags, 0);
  EXPECT_THAT(context.attributes, ElementsAre(std::pair(3, "first")));

  tell("clear");
  EXPECT_THAT(reader.Threads(), IsEmpty());
  running.WriteLine("end");
  const ProcessResult ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 0);
  const bool has_virtual_threads = jdk().major >= kFirstMajorWithVirtualThreads;
  EXPECT_EQ(ended.err.find("contextexport has no effect: this JVM does not tell when virtual "
                           "threads are mounted") == std::string::npos,
            has_virtual_threads)
      << ended.err;
}

TEST_P(OutsideReaderTest, WithoutContextsThereIsNoMappingAndNoPointer) {
  auto program = RunningProcess::Start(Waiting(""));
  ASSERT_TRUE(program.ok()) << program.error().message();
  RunningProcess& running = program.value();
  ASSERT_TRUE(running.WaitForLine("ready").ok());
  running.WriteLine("trace");
  EXPECT_TRUE(running.WaitForLine("ok").ok());
  const OutsideReader reader(running.pid(), AgentLibrary());
  EXPECT_FALSE(reader.Process().has_value());
  EXPECT_THAT(reader.Threads(), IsEmpty());
  running.WriteLine("end");
  EXPECT_EQ(running.Wait().exit_code, 0);
}

class VirtualOutsideReaderTest : public OutsideReaderTest {
 protected:
  // Sends a word to one of the two threads of VirtualTurns, and returns once it has answered.
  void Tell(const std::string& word) {
    running_->WriteLine(word);
    EXPECT_TRUE(running_->WaitForLine("ok").ok()) << word;
  }
  // Sends the word, and returns the context that the carrier then shows.
  std::optional<OutsideThreadContext> After(const std::string& word) {
    Tell(word);
    return reader_->Thread(carrier_);
  }
  // Returns the tid of the only carrier, or 0 if there is none. Only the start of its name is
  // compared, because the middle of long names is left out from JDK 26 on.
  pid_t FindCarrier() const {
    const std::string tasks = "/proc/" + std::to_string(running_->pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      if (name.starts_with("ForkJoi")) return std::stoi(task.path().filename());
    }
    return 0;
  }

  std::optional<RunningProcess> running_;
  std::optional<OutsideReader> reader_;
  pid_t carrier_ = 0;
};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualOutsideReaderTest);

// Two virtual threads share one carrier, which shows the context of the thread that it runs.
TEST_P(VirtualOutsideReaderTest, ACarrierShowsTheContextOfTheThreadThatItRuns) {
  const std::string recording = "cpu=10ms,context,file=";
  auto program = RunningProcess::Start(Java(
      {"-cp", ContextClasses(), "VirtualTurns", recording + Path("second.jfr") + ",contextexport"},
      {AgentArgument("start," + recording + Path("first.jfr")),
       "-Djdk.virtualThreadScheduler.parallelism=1",
       "-Djdk.virtualThreadScheduler.maxPoolSize=1"}));
  ASSERT_TRUE(program.ok()) << program.error().message();
  running_.emplace(std::move(program).value());
  ASSERT_TRUE(running_->WaitForLine("ok").ok());
  reader_.emplace(running_->pid(), AgentLibrary());
  carrier_ = FindCarrier();
  ASSERT_NE(carrier_, 0);
  EXPECT_FALSE(After("trace")) << "without contextexport";
  Tell("record");
  auto shown = After("trace");
  ASSERT_TRUE(shown);
  const std::string trace = "0123456789abcdeffedcba9876543210";
  EXPECT_EQ(shown->trace_id, trace);
  EXPECT_EQ(shown->span_id, "00000000000000ff");
  const std::pair root(0, "0f1e2d3c4b5a6978");
  const std::string tag(200, 'x');
  shown = After("short");
  ASSERT_TRUE(shown);
  EXPECT_THAT(shown->attributes, ElementsAre(root, std::pair(1, "first")));

  // The second thread starts in the first pause. When it runs, the carrier shows no context,
  // because this thread has none.
  for (int pause = 0; pause < 2; ++pause) {
    EXPECT_FALSE(After("idle")) << "no thread is mounted";
    EXPECT_TRUE(After("back"));
  }
  EXPECT_FALSE(After("other")) << "the second thread has none";
  shown = After("long");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->trace_id, std::string(32, '0'));
  EXPECT_THAT(shown->attributes, ElementsAre(std::pair(1, tag)));

  shown = After("other");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->trace_id, trace);
  EXPECT_THAT(shown->attributes, ElementsAre(root, std::pair(1, "first")));
  shown = After("long");  // the value is in another block of memory
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->trace_id, trace);
  EXPECT_THAT(shown->attributes, ElementsAre(root, std::pair(1, tag)));

  shown = After("end");  // the first thread ends with its context; the second continues
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->trace_id, std::string(32, '0'));
  EXPECT_FALSE(After("clear"));
  running_->WriteLine("end");
  EXPECT_EQ(running_->Wait().exit_code, 0);
}

}  // namespace
}  // namespace jprof::test
