#include "engines/lock/open_intervals.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace jprof {
namespace {

TEST(OpenIntervalsTest, CountsOpenIntervalsUpToTheReading) {
  OpenIntervals intervals;
  intervals.Begin(100, 1);
  intervals.Begin(130, 2);
  intervals.End(150, 7);  // a `spread` that leads to another cell than those of Begin
  IntervalSums sums = intervals.Read(1000);
  EXPECT_EQ(sums.begun, 2U);
  EXPECT_EQ(sums.ended, 1U);
  // The sum is the same whichever of the two intervals has ended.
  EXPECT_EQ(sums.total_ns, 50 + 870);
  intervals.End(1100, 2);
  EXPECT_EQ(intervals.Read(5000).total_ns, 50 + 970);
  intervals.Clear();
  EXPECT_EQ(intervals.Read(5000).total_ns, 0);
}

TEST(OpenIntervalsTest, SumsOfTimesCanOverflow) {
  OpenIntervals intervals;
  constexpr Nanos kLate = INT64_MAX / 2;
  for (int i = 0; i < 9; ++i) intervals.Begin(kLate, 1);
  for (int i = 0; i < 8; ++i) intervals.End(kLate + 10, 1);
  EXPECT_EQ(intervals.Read(kLate + 15).total_ns, 8 * 10 + 15);
}

TEST(OpenIntervalsTest, ReadingsAreConsistentWhileIntervalsAreAdded) {
  constexpr Nanos kStart = 1'000'000'000'000;
  OpenIntervals intervals;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&intervals, t] {
      for (int i = 0; i < 20'000; ++i) {
        intervals.Begin(kStart, t);
        intervals.End(kStart + 1, t);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_LE(intervals.Read(kStart + 1).total_ns, 60'000) << "never the time of an unpaired begin";
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(intervals.Read(kStart + 1).total_ns, 60'000);
}

}  // namespace
}  // namespace jprof
