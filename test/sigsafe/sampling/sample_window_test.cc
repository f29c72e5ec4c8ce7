#include "sigsafe/sampling/sample_window.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace jprof {
namespace {

constexpr Nanos kStart = 1'000'000'000'000;

// Returns a clock that always shows `now_ns`.
auto At(Nanos now_ns) {
  return [now_ns] { return now_ns; };
}

TEST(SampleWindowTest, ARecordingWithoutWindowsIsAlwaysOpen) {
  SampleWindow window;
  EXPECT_TRUE(window.IsOpen());
  window.Close(At(kStart));  // a late call that belongs to an earlier recording
  EXPECT_TRUE(window.IsOpen());
  window.Open(At(kStart + 1));
  EXPECT_FALSE(window.IsLimited());
}

TEST(SampleWindowTest, WindowsAreCountedAndTheirTimeAddsUp) {
  SampleWindow window;
  window.Limit();
  EXPECT_FALSE(window.IsOpen());
  for (int i = 1; i <= 3; ++i) {
    window.Open(At(kStart + i * 1000));
    EXPECT_TRUE(window.IsOpen());
    window.Close(At(kStart + i * 1000 + 10));
    EXPECT_FALSE(window.IsOpen());
  }
  EXPECT_EQ(window.CountsNow(At(kStart + 9000)).windows, 3U);
  EXPECT_EQ(window.CountsNow(At(kStart + 9000)).open_ns, 30);
  window.Open(At(kStart + 10'000));
  EXPECT_EQ(window.CountsNow(At(kStart + 10'500)).windows, 4U);
  EXPECT_EQ(window.CountsNow(At(kStart + 10'500)).open_ns, 530);
  window.OpenPermanently();
  EXPECT_FALSE(window.IsLimited());
}

TEST(SampleWindowTest, WindowsDoNotNestAndACloseAloneHasNoEffect) {
  SampleWindow window;
  window.Limit();
  window.Close(At(kStart + 1));
  window.Open(At(kStart + 10));
  window.Open(At(kStart + 20));
  window.Close(At(kStart + 30));
  window.Close(At(kStart + 40));
  EXPECT_EQ(window.CountsNow(At(kStart + 50)).windows, 1U);
  EXPECT_EQ(window.CountsNow(At(kStart + 50)).open_ns, 20);
}

TEST(SampleWindowTest, ANewRecordingCountsFromZero) {
  SampleWindow window;
  window.Limit();
  window.Open(At(kStart));
  EXPECT_EQ(window.CountsNow(At(kStart + 7)).windows, 1U);
  EXPECT_EQ(window.CountsNow(At(kStart + 7)).open_ns, 7);
  window.Limit();
  EXPECT_EQ(window.CountsNow(At(kStart + 200)).windows, 0U);
  EXPECT_EQ(window.CountsNow(At(kStart + 200)).open_ns, 0);
}

TEST(SampleWindowTest, TurnDoesTheOppositeOfTheLastOpenOrClose) {
  SampleWindow window;
  window.Turn(At(kStart));  // no effect: the recording is not limited
  EXPECT_FALSE(window.IsLimited());
  window.Limit();
  window.Turn(At(kStart + 10));
  EXPECT_TRUE(window.IsOpen());
  window.Turn(At(kStart + 20));
  EXPECT_FALSE(window.IsOpen());
  window.Open(At(kStart + 30));
  window.Turn(At(kStart + 35));
  EXPECT_EQ(window.CountsNow(At(kStart + 50)).windows, 2U);
  EXPECT_EQ(window.CountsNow(At(kStart + 50)).open_ns, 15);
  window.CloseForGood(At(kStart + 60));
  window.Turn(At(kStart + 70));
  EXPECT_FALSE(window.IsOpen());
}

TEST(SampleWindowTest, EachOfManyTurnsAtTheSameTimeOpensOrCloses) {
  SampleWindow window;
  window.Limit();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&window] {
      for (int round = 0; round < 50'000; ++round) window.Turn();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(window.IsOpen());
  EXPECT_EQ(window.CountsNow().windows, 100'000U);
}

TEST(SampleWindowTest, OpensNoWindowAfterCloseForGood) {
  for (const bool is_open : {false, true}) {
    SampleWindow window;
    window.Limit();
    window.Open(At(kStart));
    if (!is_open) window.Close(At(kStart + 10));
    EXPECT_FALSE(window.IsOver());
    window.CloseForGood(At(kStart + 10));
    window.Open(At(kStart + 20));
    window.CloseForGood(At(kStart + 30));
    EXPECT_TRUE(window.IsOver());
    EXPECT_FALSE(window.IsOpen());
    EXPECT_EQ(window.CountsNow(At(kStart + 40)).windows, 1U);
    EXPECT_EQ(window.CountsNow(At(kStart + 40)).open_ns, 10);
    window.Limit();
    EXPECT_FALSE(window.IsOver());
    window.Open(At(kStart + 50));
    EXPECT_TRUE(window.IsOpen());
  }
}

// A read of this test's clock takes long, so that other threads open and close windows during it.
TEST(SampleWindowTest, ConcurrentThreadsCountNoTimeTwice) {
  SampleWindow window;
  window.Limit();
  std::atomic<Nanos> now_ns{kStart};
  const auto clock = [&now_ns] {
    const Nanos read_ns = now_ns.fetch_add(1);
    if (read_ns % 64 == 0) std::this_thread::yield();
    return read_ns;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&window, &clock] {
      for (int round = 0; round < 20'000; ++round) {
        window.Open(clock);
        window.Close(clock);
        EXPECT_GE(window.CountsNow(clock).open_ns, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(window.IsOpen());
  const SampleWindow::Counts counts = window.CountsNow(clock);
  EXPECT_GE(counts.windows, 1U);
  EXPECT_LE(counts.windows, 80'000U);
  EXPECT_GE(counts.open_ns, static_cast<Nanos>(counts.windows));
  EXPECT_LE(counts.open_ns, now_ns.load() - kStart);
}

}  // namespace
}  // namespace jprof
