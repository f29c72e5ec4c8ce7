// Readers outside of the process: what they see of contexts, by the text of their standards.
#include "integration/outside_reader.h"

#include <fstream>

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

TEST_P(OutsideReaderTest, TheProcessTellsTheNamesAndTheOnlyThreadWithAContextItsRecord) {
  auto program = RunningProcess::Start(Waiting("context,attributes=tenant;route,"));
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

  tell("tag");  // of a name that is new to the process
  process = reader.Process();
  ASSERT_TRUE(process.has_value());
  EXPECT_THAT(process->key_map, ElementsAre("local_root_span_id", "tenant", "route", "stage"));
  EXPECT_GT(process->published_at_ns, first);
  threads = reader.Threads();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_THAT(threads.begin()->second.attributes,
              ElementsAre(std::pair(0, "0f1e2d3c4b5a6978"), std::pair(3, "first")));

  tell("put1");  // without a trace: no ids
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
  EXPECT_EQ(running.Wait().exit_code, 0);
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

}  // namespace
}  // namespace jprof::test
