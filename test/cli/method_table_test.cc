// Tests the live table of traced methods.
#include <gtest/gtest.h>

#include "cli/trace.h"

namespace jprof {
namespace {

TEST(MethodTableTest, ShowsRatesSinceTheLastTableByTotalTime) {
  const std::vector<MethodCalls> before = {{100, 0, 5, 1, 1, 1, "a.B.c()V"}};
  const std::vector<MethodCalls> now = {{150, 3, 5000, 1500, 2500000, 3000000000, "a.B.c()V"},
                                        {7, 0, 9000, 1, 1, 1, "a.B.d()V"}};
  EXPECT_EQ(MethodTableText(now, before, 500'000'000, 0),
            "   calls/s        calls  exceptions       p50       p99       max  method\n"
            "        14            7           0      1 ns      1 ns      1 ns  a.B.d()V\n"
            "       100          150           3   1.50 us   2.50 ms    3.00 s  a.B.c()V\n");
}

TEST(MethodTableTest, SortsMethodsWithoutTimesByCalls) {
  const std::vector<MethodCalls> now = {{8, 0, -1, -1, -1, -1, "a.B.few()V"},
                                        {90, 2, -1, -1, -1, -1, "a.B.many()V"},
                                        {7, 0, 0, 0, 0, 0, "a.B.timed()V"}};
  EXPECT_EQ(MethodTableText(now, {}, 1'000'000'000, 0),
            "   calls/s        calls  exceptions       p50       p99       max  method\n"
            "         7            7           0      0 ns      0 ns      0 ns  a.B.timed()V\n"
            "        90           90           2         -         -         -  a.B.many()V\n"
            "         8            8           0         -         -         -  a.B.few()V\n");
}

}  // namespace
}  // namespace jprof
