#include "jvm/gc_pauses.h"

#include <gtest/gtest.h>

#include <thread>

namespace jprof {
namespace {

TEST(GcPausesTest, TakesEveryPauseOnceInOrder) {
  GcPauses pauses(PerfCounters{});
  for (int i = 0; i < 3; ++i) {
    pauses.OnStart();
    pauses.OnFinish();
  }
  Nanos previous_end_ns = 0;
  int taken = 0;
  const auto take = [&](const GcPause& pause) {
    EXPECT_GE(pause.start_ns, previous_end_ns);
    EXPECT_GE(pause.end_ns, pause.start_ns);
    EXPECT_LT(pause.used_bytes, 0);  // negative: unknown
    EXPECT_EQ(pause.collector, nullptr);
    previous_end_ns = pause.end_ns;
    ++taken;
  };
  pauses.Take(take);
  pauses.Take(take);
  EXPECT_EQ(taken, 3);
}

TEST(GcPausesTest, AnEndWithoutAStartIsNoPause) {
  GcPauses pauses(PerfCounters{});
  pauses.OnFinish();
  pauses.Take([](const GcPause&) { FAIL(); });
}

TEST(GcPausesTest, PausesBeyondTheCapacityAreCounted) {
  GcPauses pauses(PerfCounters{});
  for (int i = 0; i < 1'100; ++i) {
    pauses.OnStart();
    pauses.OnFinish();
  }
  uint64_t taken = 0;
  pauses.Take([&](const GcPause&) { ++taken; });
  EXPECT_EQ(taken + pauses.missed(), 1'100u);
  EXPECT_EQ(taken, 1'024u);
}

TEST(GcPausesTest, TakenAndMissedAddUpWhileBothSidesRun) {
  constexpr uint64_t kPauses = 200'000;
  GcPauses pauses(PerfCounters{});
  std::thread vm([&] {
    for (uint64_t i = 0; i < kPauses; ++i) {
      pauses.OnStart();
      pauses.OnFinish();
    }
  });
  uint64_t taken = 0;
  Nanos previous_ns = 0;
  const auto take = [&](const GcPause& pause) {
    EXPECT_GE(pause.start_ns, previous_ns);
    previous_ns = pause.end_ns;
    ++taken;
  };
  while (taken + pauses.missed() < kPauses) pauses.Take(take);
  vm.join();
  pauses.Take(take);
  EXPECT_EQ(taken + pauses.missed(), kPauses);
}

}  // namespace
}  // namespace jprof
