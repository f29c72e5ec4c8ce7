#include "sigsafe/sampling/sample_window.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace jprof {
namespace {

constexpr Nanos kStart = 1'000'000'000'000;

TEST(SampleWindowTest, ARecordingWithoutWindowsIsOpenWhateverIsCalled) {
  SampleWindow window;
  EXPECT_TRUE(window.IsOpen());
  window.Close(kStart);  // by a call that comes late, of a recording before
  EXPECT_TRUE(window.IsOpen());
  window.Open(kStart + 1);
  EXPECT_FALSE(window.IsLimited());
}

TEST(SampleWindowTest, WindowsAreCountedAndTheirTimeAddsUp) {
  SampleWindow window;
  window.Limit(false, kStart);
  EXPECT_FALSE(window.IsOpen());
  for (int i = 1; i <= 3; ++i) {
    window.Open(kStart + i * 1000);
    EXPECT_TRUE(window.IsOpen());
    window.Close(kStart + i * 1000 + 10);
    EXPECT_FALSE(window.IsOpen());
  }
  EXPECT_EQ(window.CountsAt(kStart + 9000).windows, 3U);
  EXPECT_EQ(window.CountsAt(kStart + 9000).open_ns, 30);
  window.Open(kStart + 10'000);
  EXPECT_EQ(window.CountsAt(kStart + 10'500).windows, 4U);
  EXPECT_EQ(window.CountsAt(kStart + 10'500).open_ns, 530);
  window.OpenForEver();
  EXPECT_FALSE(window.IsLimited());
}

TEST(SampleWindowTest, WindowsDoNotNestAndAnEndAloneIsNothing) {
  SampleWindow window;
  window.Limit(false, kStart);
  window.Close(kStart + 1);
  window.Open(kStart + 10);
  window.Open(kStart + 20);
  window.Close(kStart + 30);
  window.Close(kStart + 40);
  EXPECT_EQ(window.CountsAt(kStart + 50).windows, 1U);
  EXPECT_EQ(window.CountsAt(kStart + 50).open_ns, 20);
}

TEST(SampleWindowTest, TheFirstMayBeginAtOnceAndANewRecordingCountsAnew) {
  SampleWindow window;
  window.Limit(true, kStart);
  EXPECT_EQ(window.CountsAt(kStart + 7).windows, 1U);
  EXPECT_EQ(window.CountsAt(kStart + 7).open_ns, 7);
  window.Limit(false, kStart + 100);
  EXPECT_EQ(window.CountsAt(kStart + 200).windows, 0U);
  EXPECT_EQ(window.CountsAt(kStart + 200).open_ns, 0);
}

TEST(SampleWindowTest, ThreadsThatOpenAndCloseAtTheSameTimeLoseNoTime) {
  SampleWindow window;
  window.Limit(false, kStart);
  std::atomic<Nanos> now_ns{kStart};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&window, &now_ns] {
      for (int round = 0; round < 20'000; ++round) {
        window.Open(now_ns.fetch_add(1));
        window.Close(now_ns.fetch_add(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(window.IsOpen());
  const SampleWindow::Counts counts = window.CountsAt(0);
  EXPECT_GE(counts.windows, 1U);
  EXPECT_LE(counts.windows, 80'000U);
  EXPECT_LE(counts.open_ns, now_ns.load() - kStart);
}

}  // namespace
}  // namespace jprof
