// The live table of traced methods, and what is taken for an answer of the agent.
#include "cli/method_table.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(MethodTableTest, ReadsTheAgentsLinesAndNothingElse) {
  const auto methods = ParseMethodCalls("10 5 1000 90 120 300 a.B.c(I)V\n0 0 0 0 0 0 a.B.d()V\n");
  ASSERT_TRUE(methods.ok()) << methods.error().message();
  ASSERT_EQ(methods.value().size(), 2U);
  EXPECT_EQ(methods.value()[0].calls, 10U);
  EXPECT_EQ(methods.value()[0].exceptions, 5U);
  EXPECT_EQ(methods.value()[0].longest_ns, 300);
  EXPECT_EQ(methods.value()[0].name, "a.B.c(I)V");
  EXPECT_TRUE(ParseMethodCalls("").ok());
  for (const char* wrong : {"10 5 1000 90 120 a.B.c", "x 5 1 1 1 1 a", "1 2 3 4 5 6",
                            "1 2 3 4 5 6 ", "-1 2 3 4 5 6 a", "99999999999999999999 1 1 1 1 1 a"}) {
    EXPECT_FALSE(ParseMethodCalls(wrong).ok()) << wrong;
  }
}

TEST(MethodTableTest, RatesAreOfTheTimeSinceTheTableBeforeAndTheLongestTotalIsFirst) {
  const auto before = ParseMethodCalls("100 0 5 1 1 1 a.B.c()V\n").value();
  const auto now =
      ParseMethodCalls("150 3 5000 1500 2500000 3000000000 a.B.c()V\n7 0 9000 1 1 1 a.B.d()V\n")
          .value();
  EXPECT_EQ(MethodTableText(now, before, 500'000'000, 0),
            "   calls/s        calls  exceptions       p50       p99       max  method\n"
            "        14            7           0      1 ns      1 ns      1 ns  a.B.d()V\n"
            "       100          150           3   1.50 us   2.50 ms    3.00 s  a.B.c()V\n");
}

TEST(MethodTableTest, MethodsThatAreNotTimedHaveNoTimesAndFollowByTheirCalls) {
  const auto now = ParseMethodCalls(
                       "8 0 -1 -1 -1 -1 a.B.few()V\n90 2 -1 -1 -1 -1 a.B.many()V\n"
                       "7 0 0 0 0 0 a.B.timed()V\n")
                       .value();
  EXPECT_EQ(MethodTableText(now, {}, 1'000'000'000, 0),
            "   calls/s        calls  exceptions       p50       p99       max  method\n"
            "         7            7           0      0 ns      0 ns      0 ns  a.B.timed()V\n"
            "        90           90           2         -         -         -  a.B.many()V\n"
            "         8            8           0         -         -         -  a.B.few()V\n");
}

TEST(MethodTableTest, NamesDoNotReachTheTerminalAsTheyAre) {
  const auto hostile = ParseMethodCalls("1 0 1 1 1 1 a.\033[2JB()V\n").value();
  const std::string text = MethodTableText(hostile, {}, 1, 100);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("\\x1b"), std::string::npos);
}

}  // namespace
}  // namespace jprof
