#include "engines/lock/open_waits.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace jprof {
namespace {

constexpr auto kEnter = WaitType::kMonitorEnter;
constexpr auto kWait = WaitType::kMonitorWait;

const SampledThread kOwner = SampledThread::Platform(7, Tid{77});

OpenWait Begun(int64_t thread, WaitType type, Nanos start_ns) {
  return {thread, type, start_ns, 5, kOwner};
}

jweak ReferenceOf(int number) {
  static int places[40];
  return reinterpret_cast<jweak>(&places[number]);
}

TEST(OpenWaitsTest, EndReturnsEachWaitOnce) {
  OpenWaits waits;
  waits.Begin(Begun(3, kEnter, 100));
  EXPECT_FALSE(waits.End(3, kWait));
  EXPECT_FALSE(waits.End(4, kEnter));
  const auto ended = waits.End(3, kEnter);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->thread, 3);
  EXPECT_EQ(ended->type, kEnter);
  EXPECT_EQ(ended->start_ns, 100);
  EXPECT_EQ(ended->timeout, 5);
  EXPECT_EQ(ended->owner, kOwner);
  EXPECT_FALSE(waits.End(3, kEnter));
}

TEST(OpenWaitsTest, ReenteringBeginsWhenTheObjectWaitEnds) {
  OpenWaits waits;
  waits.Begin(Begun(3, kWait, 100));
  EXPECT_EQ(waits.EndAndRemember(3, kWait, 250)->start_ns, 100);
  const auto again = waits.End(3, kEnter);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->start_ns, 250);
  EXPECT_EQ(again->owner, SampledThread()) << "the known owner was that of the Object.wait";
  EXPECT_FALSE(waits.End(3, kEnter)) << "returned already";
}

TEST(OpenWaitsTest, ANewWaitReplacesAnOldOneOfItsThread) {
  OpenWaits waits;
  waits.Begin(Begun(3, kWait, 100));
  waits.EndAndRemember(3, kWait, 250);
  waits.Begin(Begun(3, kEnter, 300));
  EXPECT_EQ(waits.End(3, kEnter)->start_ns, 300);
  EXPECT_FALSE(waits.End(3, kEnter));
}

// Each reference has one owner at a time: the table, or the caller that the table returned it to.
TEST(OpenWaitsTest, ReturnsEveryReferenceOnce) {
  OpenWaits waits;
  int next = 0;
  std::vector<jweak> out;
  const auto begin = [&](int64_t thread, WaitType type) {
    OpenWait wait = Begun(thread, type, next);
    wait.object = ReferenceOf(next++);
    if (const jweak left = waits.Begin(wait)) out.push_back(left);
  };
  const auto take = [&](const std::optional<OpenWait>& ended) {
    if (ended && ended->object != nullptr) out.push_back(ended->object);
  };
  begin(3, kEnter);
  take(waits.End(3, kEnter));
  EXPECT_EQ(out.size(), 1U);
  begin(3, kWait);
  take(waits.EndAndRemember(3, kWait, 9));
  EXPECT_EQ(out.size(), 2U);
  take(waits.End(3, kEnter));
  EXPECT_EQ(out.size(), 2U) << "the wait to reenter has no reference";
  begin(4, kEnter);
  begin(4, kWait);
  EXPECT_EQ(out.size(), 3U) << "a wait that never ended is replaced";
  // Ids at this distance share a place.
  constexpr auto kSame = static_cast<int64_t>(OpenWaits::kCapacity);
  for (int64_t i = 1; i < 20; ++i) begin(4 + i * kSame, kWait);
  EXPECT_GT(waits.without_place(), 0U);
  EXPECT_EQ(out.size(), 3U + waits.without_place());
  waits.Clear([&out](jweak object) { out.push_back(object); });
  EXPECT_EQ(out.size(), static_cast<size_t>(next));
  EXPECT_EQ(std::set<jweak>(out.begin(), out.end()).size(), out.size());
  waits.Clear([](jweak) { ADD_FAILURE() << "nothing is left"; });
}

TEST(OpenWaitsTest, ReplacesRememberedTimesButNotOpenWaits) {
  OpenWaits waits;
  // Ids at this distance share a place.
  constexpr auto kSame = static_cast<int64_t>(OpenWaits::kCapacity);
  for (int64_t i = 0; i < 16; ++i) waits.Begin(Begun(1 + i * kSame, kWait, i));
  waits.Begin(Begun(1 + 16 * kSame, kWait, 16));
  EXPECT_EQ(waits.without_place(), 1U);
  EXPECT_FALSE(waits.End(1 + 16 * kSame, kWait));
  EXPECT_TRUE(waits.EndAndRemember(1, kWait, 99));
  waits.Begin(Begun(1 + 17 * kSame, kWait, 17));
  EXPECT_EQ(waits.without_place(), 1U);
  EXPECT_EQ(waits.End(1 + 17 * kSame, kWait)->start_ns, 17);
  EXPECT_FALSE(waits.End(1, kEnter)) << "its time has been replaced";
}

TEST(OpenWaitsTest, VisitsOnlyOpenWaits) {
  OpenWaits waits;
  for (int64_t thread = 1; thread <= 4; ++thread) waits.Begin(Begun(thread, kWait, thread));
  waits.End(1, kWait);
  waits.EndAndRemember(2, kWait, 9);
  std::set<int64_t> seen;
  waits.ForEach([&seen](const OpenWait& wait) { seen.insert(wait.thread); });
  EXPECT_EQ(seen, (std::set<int64_t>{3, 4}));
}

TEST(OpenWaitsTest, ThreadsDoNotDisturbEachOther) {
  OpenWaits waits;
  std::vector<std::thread> threads;
  for (int64_t number = 1; number <= 4; ++number) {
    threads.emplace_back([&waits, number] {
      // The ids differ by little modulo the capacity, and some of them share a place.
      const auto id = number * static_cast<int64_t>(OpenWaits::kCapacity) + number % 2 + 1;
      for (Nanos i = 1; i < 100'000; ++i) {
        waits.Begin(Begun(id, kWait, i));
        const auto ended = i % 2 == 0 ? waits.End(id, kWait) : waits.EndAndRemember(id, kWait, i);
        ASSERT_TRUE(ended);
        ASSERT_EQ(ended->start_ns, i);
        ASSERT_EQ(ended->thread, id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(waits.without_place(), 0U);
}

OpenWait BegunForMonitor(int64_t thread, Nanos start_ns, uint64_t monitor) {
  OpenWait wait = Begun(thread, kEnter, start_ns);
  wait.monitor = monitor;
  return wait;
}

struct VisitedWait {
  size_t place;
  OpenWait wait;
};

std::vector<VisitedWait> Awaited(OpenWaits& waits, bool is_awaited) {
  std::vector<VisitedWait> visited;
  waits.VisitAwaited([&](size_t place, const OpenWait& wait) {
    visited.push_back({place, wait});
    return is_awaited;
  });
  return visited;
}

const HolderStack kHeld{SampledThread::Platform(9, Tid{99}), CallTraceId{0x500000001}};

TEST(OpenWaitsTest, TheLookerVisitsWaitsForKnownMonitorsUntilItAwaitsNothing) {
  OpenWaits waits;
  waits.Begin(Begun(3, kEnter, 100));
  waits.Begin(BegunForMonitor(4, 200, 0x1000));
  waits.Begin(Begun(5, kWait, 300));
  ASSERT_EQ(Awaited(waits, true).size(), 1u);
  const std::vector<VisitedWait> visited = Awaited(waits, false);
  ASSERT_EQ(visited.size(), 1u);
  EXPECT_EQ(visited[0].wait.thread, 4);
  EXPECT_EQ(visited[0].wait.monitor, 0x1000u);
  EXPECT_TRUE(waits.GoesOn(visited[0].place, visited[0].wait));
  Awaited(waits, false);
  EXPECT_TRUE(Awaited(waits, false).empty());
  waits.End(4, kEnter);
  EXPECT_FALSE(waits.GoesOn(visited[0].place, visited[0].wait));
}

TEST(OpenWaitsTest, AHolderBelongsToTheWaitForWhichItWasFound) {
  OpenWaits waits;
  waits.Begin(BegunForMonitor(4, 200, 0x1000));
  const std::vector<VisitedWait> visited = Awaited(waits, true);
  ASSERT_EQ(visited.size(), 1u);
  waits.SetHolder(visited[0].place, visited[0].wait, kHeld);
  int stacks = 0;
  waits.VisitHolders([&stacks](CallTraceId trace) { stacks += trace == kHeld.trace ? 1 : 0; });
  EXPECT_EQ(stacks, 1);
  const auto ended = waits.End(4, kEnter);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->held.holder, kHeld.holder);
  EXPECT_EQ(ended->held.trace, kHeld.trace);

  waits.Begin(BegunForMonitor(4, 700, 0x1000));
  waits.SetHolder(visited[0].place, visited[0].wait, kHeld);
  EXPECT_FALSE(waits.GoesOn(visited[0].place, visited[0].wait));
  EXPECT_EQ(waits.End(4, kEnter)->held.trace, kNoCallTrace) << "a look at an earlier wait";
}

}  // namespace
}  // namespace jprof
