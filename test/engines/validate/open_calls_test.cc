#include "engines/validate/open_calls.h"

#include <gtest/gtest.h>

#include <vector>

namespace jprof {
namespace {

constexpr uint32_t kAny = OpenCalls::kAnyMethod;

// A thread whose clocks the test sets: it uses the processor for half of the time.
class OpenCallsTest : public ::testing::Test {
 protected:
  ThreadClocks Now() const { return {elapsed_ns_ / 2, elapsed_ns_}; }
  void Pass(Nanos elapsed_ns) { elapsed_ns_ += elapsed_ns; }

  uint32_t Enter(uint32_t place) {
    return calls_.Enter(place, [this] { return Read(); });
  }
  void Leave(uint32_t call) {
    calls_.Leave(call, [this] { return Read(); });
  }
  ThreadClocks Read() {
    ++reads_;
    return Now();
  }

  MethodTime TimeOf(uint32_t place) const {
    std::vector<MethodTime> sums(8);
    calls_.AddTo(sums, Now());
    EXPECT_EQ(sums[place].time.cpu_ns, sums[place].time.elapsed_ns / 2);
    return sums[place];
  }
  Nanos ElapsedIn(uint32_t place) const { return TimeOf(place).time.elapsed_ns; }

  OpenCalls calls_;
  Nanos elapsed_ns_ = 1000;
  int reads_ = 0;
};

TEST_F(OpenCallsTest, AMethodCountsWithAllThatItCalls) {
  const uint32_t outer = Enter(1);
  Pass(10);
  const uint32_t inner = Enter(2);
  Pass(20);
  Leave(inner);
  Pass(30);
  Leave(outer);
  Pass(100);
  EXPECT_EQ(ElapsedIn(1), 60);
  EXPECT_EQ(ElapsedIn(2), 20);
  EXPECT_EQ(ElapsedIn(kAny), 60);
  EXPECT_EQ(TimeOf(1).calls, 1u);
  EXPECT_EQ(TimeOf(kAny).calls, 2u);
}

TEST_F(OpenCallsTest, RecursionCountsOnceAndReadsNoClocks) {
  const uint32_t first = Enter(1);
  Pass(10);
  const uint32_t second = Enter(1);
  Pass(20);
  Leave(second);
  EXPECT_EQ(reads_, 1);
  Pass(30);
  Leave(first);
  EXPECT_EQ(ElapsedIn(1), 60);
  EXPECT_EQ(TimeOf(1).calls, 2u);
  EXPECT_EQ(reads_, 2);
}

TEST_F(OpenCallsTest, AMethodThatItsCalleeCallsCountsOnce) {
  const uint32_t outermost = Enter(1);
  Pass(10);
  const uint32_t between = Enter(2);
  Pass(20);
  const uint32_t again = Enter(1);
  Pass(30);
  Leave(again);
  Leave(between);
  Leave(outermost);
  EXPECT_EQ(ElapsedIn(1), 60);
  EXPECT_EQ(ElapsedIn(2), 50);
}

TEST_F(OpenCallsTest, AnOpenCallCountsUpToNow) {
  Enter(3);
  Pass(40);
  EXPECT_EQ(ElapsedIn(3), 40);
  Pass(5);
  EXPECT_EQ(ElapsedIn(3), 45);
  EXPECT_EQ(ElapsedIn(kAny), 45);
}

TEST_F(OpenCallsTest, ACallEndsThoseThatLackTheirEnd) {
  const uint32_t outer = Enter(1);
  const uint32_t lost = Enter(2);
  Enter(2);
  Pass(10);
  Leave(outer);
  Pass(100);
  EXPECT_EQ(ElapsedIn(1), 10);
  EXPECT_EQ(ElapsedIn(2), 10);
  EXPECT_EQ(ElapsedIn(kAny), 10);
  Leave(lost);  // too late
  EXPECT_EQ(ElapsedIn(2), 10);
}

TEST_F(OpenCallsTest, ADroppedMethodCountsUpToThen) {
  const uint32_t dropped = Enter(1);
  Pass(10);
  const uint32_t inner = Enter(2);
  Pass(20);
  calls_.Drop(1, Now());
  Pass(40);
  Leave(inner);
  Pass(80);
  Leave(dropped);
  EXPECT_EQ(ElapsedIn(1), 30);
  EXPECT_EQ(ElapsedIn(2), 60);
  EXPECT_EQ(ElapsedIn(kAny), 70);
}

TEST_F(OpenCallsTest, OpenCallsCountFromARestartOn) {
  const uint32_t open = Enter(1);
  Pass(10);
  Leave(Enter(2));
  calls_.Restart(Now());
  Pass(20);
  EXPECT_EQ(ElapsedIn(1), 20);
  EXPECT_EQ(TimeOf(2).calls, 0u);
  Leave(open);
  EXPECT_EQ(ElapsedIn(kAny), 20);
}

TEST_F(OpenCallsTest, TheOpenCallsOfAnEndedThreadAreForgotten) {
  Leave(Enter(1));
  const uint32_t open = Enter(1);
  Pass(10);
  calls_.Abandon();
  Pass(10);
  EXPECT_EQ(ElapsedIn(1), 0);
  Leave(open);
  const uint32_t next = Enter(1);
  Pass(7);
  Leave(next);
  EXPECT_EQ(ElapsedIn(1), 7);
  EXPECT_EQ(ElapsedIn(kAny), 7);
}

}  // namespace
}  // namespace jprof
