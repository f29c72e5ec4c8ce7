#include "engines/lock/open_spans.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace jprof {
namespace {

TEST(OpenSpansTest, SpansThatGoOnCountUpToTheMomentOfReading) {
  OpenSpans spans;
  spans.Begin(100, 1);
  spans.Begin(130, 2);
  spans.End(150, 7);  // in another cell than it began
  SpanSums sums = spans.Read(1000);
  EXPECT_EQ(sums.begun, 2U);
  EXPECT_EQ(sums.ended, 1U);
  // 100 to 150 and 130 to 1000, or the other way round: the sum is the same.
  EXPECT_EQ(sums.total_ns, 50 + 870);
  spans.End(1100, 2);
  EXPECT_EQ(spans.Read(5000).total_ns, 50 + 970);
  spans.Clear();
  EXPECT_EQ(spans.Read(5000).total_ns, 0);
}

TEST(OpenSpansTest, SumsOfTimesMayOverflow) {
  OpenSpans spans;
  constexpr Nanos kLate = INT64_MAX / 2;
  for (int i = 0; i < 9; ++i) spans.Begin(kLate, 1);
  for (int i = 0; i < 8; ++i) spans.End(kLate + 10, 1);
  EXPECT_EQ(spans.Read(kLate + 15).total_ns, 8 * 10 + 15);
}

TEST(OpenSpansTest, EachReadingIsOfAWholeNumberOfSpans) {
  constexpr Nanos kStart = 1'000'000'000'000;
  OpenSpans spans;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&spans, t] {
      for (int i = 0; i < 20'000; ++i) {
        spans.Begin(kStart, t);
        spans.End(kStart + 1, t);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_LE(spans.Read(kStart + 1).total_ns, 60'000) << "never the time of an unpaired begin";
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(spans.Read(kStart + 1).total_ns, 60'000);
}

}  // namespace
}  // namespace jprof
