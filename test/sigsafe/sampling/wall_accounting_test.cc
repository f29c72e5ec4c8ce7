#include "sigsafe/sampling/wall_accounting.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr Nanos kInterval = 50'000'000;
constexpr Nanos kWallStart = 1'000'000'000'000;

// The fixture has the state of a sampler, a thread, and a clock that the test moves.
class WallAccountingTest : public testing::Test {
 protected:
  WallAccountingTest() { Become(&state_, 1, kWallStart, kInterval); }

  static void Become(SamplingState* state, uint32_t run, Nanos start_ns, Nanos interval_ns) {
    state->run = run;
    state->start_ns = start_ns;
    state->SetInterval(SampleKind::kWall, interval_ns);
  }

  ThreadSlot* NewThread(Nanos claimed_ns, uint32_t serial) {
    thread_.run = 0;
    thread_.claimed_ns = claimed_ns;
    thread_.serial = serial;
    return &thread_;
  }

  WallInterval Account(Nanos now_ns) { return AccountWallTime(thread_, state_, now_ns); }

  SamplingState state_;
  ThreadSlot thread_{};
};

TEST_F(WallAccountingTest, IntervalsAddUpToTheElapsedTime) {
  std::minstd_rand random(1);
  std::exponential_distribution<double> gap(1.0 / kInterval);
  for (uint32_t serial = 1; serial < 300; ++serial) {
    const Nanos begin = kWallStart + static_cast<Nanos>(serial) * 12'345'678;
    NewThread(begin, serial);
    Nanos now = begin;
    Nanos credited = 0;
    Nanos spans = 0;
    for (int tick = 0; tick < 200; ++tick) {
      now += 1 + static_cast<Nanos>(gap(random));
      const WallInterval span = Account(now);
      credited += static_cast<Nanos>(span.weight);
      spans += span.weight == 0 ? 0 : span.elapsed_ns;
      ASSERT_LT(std::abs(credited - (now - begin)), kInterval) << serial << " at tick " << tick;
      ASSERT_LE(spans, now - begin);
    }
    ASSERT_LT(std::abs(credited - spans), 2 * kInterval);
  }
}

TEST_F(WallAccountingTest, ALateTickStandsForAllPassedIntervals) {
  NewThread(kWallStart, 1);
  Account(kWallStart + kInterval);
  const WallInterval span = Account(kWallStart + 11 * kInterval);
  EXPECT_EQ(span.weight, 10u * kInterval);
  EXPECT_EQ(span.elapsed_ns, 10 * kInterval);
}

TEST_F(WallAccountingTest, ASecondTickInTheSameIntervalRecordsNothing) {
  NewThread(kWallStart, 1);
  Account(kWallStart + 3 * kInterval);
  EXPECT_EQ(Account(kWallStart + 3 * kInterval).weight, 0u);
  EXPECT_EQ(Account(kWallStart + 3 * kInterval + 1).weight, 0u);
}

TEST_F(WallAccountingTest, ObservesAnEarlierThreadFromTheStartOfTheRun) {
  NewThread(kWallStart - 1000 * kInterval, 1);
  const WallInterval span = Account(kWallStart + 5 * kInterval);
  EXPECT_GE(span.weight, 5u * kInterval);
  EXPECT_LE(span.weight, 6u * kInterval);
  EXPECT_EQ(span.elapsed_ns, 5 * kInterval);
}

TEST_F(WallAccountingTest, ANewRunDoesNotRecordTheTimeBeforeIt) {
  NewThread(kWallStart, 1);
  Account(kWallStart + 5 * kInterval);
  const Nanos later = kWallStart + 1000 * kInterval;
  SamplingState next;
  Become(&next, 2, later, kInterval);
  EXPECT_LE(AccountWallTime(thread_, next, later + kInterval).weight, 2u * kInterval);
}

TEST_F(WallAccountingTest, IgnoresASignalOfAnEarlierRunWithoutWallClock) {
  SamplingState cpu_only;
  Become(&cpu_only, 2, kWallStart, 0);
  NewThread(kWallStart, 1);
  WallInterval span{1, 1};
  InSignal([&] { span = AccountWallTime(thread_, cpu_only, kWallStart + kInterval); });
  EXPECT_EQ(span.weight, 0u);
}

// The engine ticks at every cut, and threads start and end independently of the ticks. On average
// over many threads, the recorded time must be the lifetime of the threads.
class ShortThreadsTest : public WallAccountingTest, public testing::WithParamInterface<double> {};

TEST_P(ShortThreadsTest, AreSeenInProportionToTheirLife) {
  constexpr int kThreads = 40'000;
  std::minstd_rand random(7);
  std::uniform_int_distribution<Nanos> birth_in_interval(0, kInterval - 1);
  const auto life = static_cast<Nanos>(GetParam() * static_cast<double>(kInterval));
  Nanos credited = 0;
  for (uint32_t serial = 1; serial <= kThreads; ++serial) {
    const Nanos interval_start = kWallStart + serial * 100 * kInterval;
    const Nanos birth = interval_start + birth_in_interval(random);
    NewThread(birth, serial);
    for (Nanos tick = interval_start + kInterval; tick < birth + life; tick += kInterval) {
      credited += static_cast<Nanos>(Account(tick).weight);
    }
  }
  const double share = static_cast<double>(credited) / (static_cast<double>(life) * kThreads);
  EXPECT_NEAR(share, 1.0, 0.05);
}

INSTANTIATE_TEST_SUITE_P(LivesInIntervals, ShortThreadsTest, testing::Values(0.1, 0.5, 1.0, 3.7));

// In place of the wall engine, the test counts the ticks in windows: a third of all ticks, in
// groups of ten.
TEST_F(WallAccountingTest, TimesInsideAndOutsideWindowsAddUp) {
  state_.window.Limit();
  OutsideWindows(SampleKind::kWall) = 0;
  NewThread(kWallStart, 1);
  Account(kWallStart);
  Nanos inside_ns = 0;
  Nanos credited_ns = 0;
  for (int tick = 1; tick <= 300; ++tick) {
    if (tick / 10 % 3 == 0) {
      inside_ns += kInterval;
      state_.wall_ticks_in_windows_ns.fetch_add(kInterval);
    }
    if (tick % 7 == 0)
      credited_ns += static_cast<Nanos>(Account(kWallStart + tick * kInterval).weight);
  }
  credited_ns += static_cast<Nanos>(Account(kWallStart + 300 * kInterval).weight);
  EXPECT_EQ(credited_ns, inside_ns);
  EXPECT_EQ(OutsideWindows(SampleKind::kWall).exchange(0),
            static_cast<uint64_t>(300 * kInterval - inside_ns));
  EXPECT_FALSE(HasWallTicksInWindows(thread_, state_));
  state_.window.OpenPermanently();
}

}  // namespace
}  // namespace jprof
