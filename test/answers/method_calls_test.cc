#include "answers/method_calls.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

AgentFacts RowsOf(std::initializer_list<const char*> rows) {
  AgentFacts facts;
  for (const char* const row : rows) facts.AddText("methods[]", row);
  return facts;
}

TEST(MethodCallsTest, ReadsBackTheRowsThatItAdds) {
  const std::vector<MethodCalls> sent = {{10, 5, 1000, 90, 120, 300, "a.B.an order, paid()V"},
                                         {8, 1, -1, -1, -1, -1, "a.B.counted()V"}};
  AgentFacts facts;
  AddMethodCalls(sent, facts);
  EXPECT_EQ(MethodRows(facts),
            "10 5 1000 90 120 300 a.B.an order, paid()V\n8 1 -1 -1 -1 -1 a.B.counted()V\n");
  const auto read = MethodCallsOf(facts);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read.value().size(), 2U);
  EXPECT_EQ(read.value()[0].calls, 10U);
  EXPECT_EQ(read.value()[0].exceptions, 5U);
  EXPECT_EQ(read.value()[0].p99_ns, 120);
  EXPECT_EQ(read.value()[0].longest_ns, 300);
  EXPECT_EQ(read.value()[0].name, "a.B.an order, paid()V");
  EXPECT_EQ(read.value()[1].total_ns, MethodCalls::kNotTimed);
}

TEST(MethodCallsTest, RefusesRowsOfAnotherForm) {
  EXPECT_TRUE(MethodCallsOf({}).ok());
  for (const char* wrong : {"10 5 1000 90 120 a.B.c", "x 5 1 1 1 1 a", "1 2 3 4 5 6", "",
                            "1 2 3 4 5 6 ", "-1 2 3 4 5 6 a", "99999999999999999999 1 1 1 1 1 a"}) {
    EXPECT_FALSE(MethodCallsOf(RowsOf({"1 1 1 1 1 1 a", wrong})).ok()) << wrong;
  }
}

TEST(MethodCallsTest, EscapesControlCharactersInNames) {
  const AgentFacts hostile = RowsOf({"1 0 1 1 1 1 a.\033[2JB\n()V"});
  EXPECT_EQ(MethodCallsOf(hostile).value()[0].name, "a.\\x1b[2JB\\x0a()V");
  EXPECT_EQ(MethodRows(hostile), "1 0 1 1 1 1 a.\\x1b[2JB\\x0a()V\n");
}

}  // namespace
}  // namespace jprof
