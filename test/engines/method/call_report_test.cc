// Tests the lines at stop and the table of the command `methods`.
#include "engines/method/call_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/method/traced_methods.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

CountedMethod Method(const std::string& name, MethodCounts counts) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = "a/B";
  const auto number = TracedMethods::OfProcess().NumberOf(
      {.declaring = declaring, .name = name, .descriptor = "()V"});
  return {number.value(), std::move(counts)};
}

MethodCounts Counted(uint64_t calls, uint64_t exceptions) {
  return {.calls = calls, .exceptions = exceptions, .is_timed = false};
}

TEST(CallReportTest, ListsTimedMethodsFirstAndThenCountedOnes) {
  MethodCounts timed{.calls = 2, .total_ns = 30, .longest_ns = 20, .shortest_ns = 10};
  const std::vector<CountedMethod> methods = {Method("few", Counted(8, 1)), Method("timed", timed),
                                              Method("many", Counted(90, 0)),
                                              Method("never", Counted(0, 0))};
  EXPECT_THAT(CallSummary(methods, 0),
              ElementsAre("a.B.timed()V: 2 calls, 0 ended by an exception, p50 10 ns, p99 10 ns, "
                          "p99.9 10 ns, max 20 ns",
                          "a.B.many()V: 90 calls, 0 ended by an exception",
                          "a.B.few()V: 8 calls, 1 ended by an exception",
                          "1 traced methods were not called"));
  AgentFacts facts;
  AddMethodCalls(CallsOf(methods), facts);
  EXPECT_EQ(MethodRows(facts),
            "8 1 -1 -1 -1 -1 a.B.few()V\n2 0 30 10 10 20 a.B.timed()V\n"
            "90 0 -1 -1 -1 -1 a.B.many()V\n0 0 -1 -1 -1 -1 a.B.never()V\n");
}

TEST(CallReportTest, TwentyMethodsAreNamedAndTheRestIsANumber) {
  std::vector<CountedMethod> methods;
  for (uint64_t i = 1; i <= 23; ++i) {
    methods.push_back(Method("m" + std::to_string(i), Counted(i, 0)));
  }
  const std::vector<std::string> lines = CallSummary(methods, 5);
  ASSERT_THAT(lines, SizeIs(22));
  EXPECT_EQ(lines[0], "a.B.m23()V: 23 calls, 0 ended by an exception");
  EXPECT_EQ(lines[19], "a.B.m4()V: 4 calls, 0 ended by an exception");
  EXPECT_EQ(lines[20], "and 3 methods that took less time: jdk.MethodTiming in the recording");
  EXPECT_EQ(
      lines[21],
      "warning: at least 5 calls are not counted: their thread's stack, or the heap, was full");
}

}  // namespace
}  // namespace jprof
