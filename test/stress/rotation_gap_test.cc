// Rotation of the table of stacks does not interrupt sampling: a busy thread is sampled as
// regularly as without.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <thread>
#include <vector>

#include "base/engine_signals.h"
#include "os/cpu_timer.h"
#include "os/pages.h"
#include "os/signal_action.h"
#include "sampler/sampling_memory.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"
#include "sigsafe/stack/test_stack.h"
#include "support/cpu_clock.h"
#include "support/fake_walker.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::StackOf;

constexpr Nanos kInterval = 10'000'000;
constexpr uint64_t kLiveStacks = 50'000;
constexpr int kRotations = 60;

// The longest time between the ends of two consecutive handlers, in CPU time of the interrupted
// thread.
std::atomic<Nanos> g_longest_gap_ns{0};
constinit thread_local Nanos t_last_ns = 0;

void TimedCpuHandler(int signal, siginfo_t* info, void* ucontext) {
  CpuHandler(signal, info, ucontext);
  const Nanos now_ns = ThreadCpuNanos();
  if (t_last_ns != 0 && now_ns - t_last_ns > g_longest_gap_ns) {
    g_longest_gap_ns = now_ns - t_last_ns;
  }
  t_last_ns = now_ns;
}

Nanos KernelTick() {
  timespec resolution{};
  clock_getres(CLOCK_REALTIME_COARSE, &resolution);
  return resolution.tv_nsec;
}

TEST(RotationGapTest, RotationDelaysSamplesByAtMostThreeIntervals) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer multiplies the time in the handler";
  test::FakeWalker walker;
  walker.answer = 50;
  const Pages pages = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots slots(pages.region());
  SetThreadSlots(&slots);
  const auto memory =
      std::move(SamplingMemory::Reserve({1, 2048, 0, size_t{1} << 30}, slots)).value();
  memory->Activate();
  Sampling().SetInterval(SampleKind::kCpu, kInterval);
  auto action =
      std::move(SignalAction::Install(kCpuSignal, TimedCpuHandler, {kWallSignal})).value();

  std::atomic<bool> stop{false};
  std::atomic<uint64_t> samples{0};
  std::thread busy([&] {
    ThreadSlot* slot = slots.Claim(CurrentTid());
    slot->jni_env = &walker;
    const auto timer =
        CpuTimer::Create(CurrentTid(), kCpuSignal, MakeCookie(slot->index), {kInterval, kInterval});
    ASSERT_TRUE(timer.ok());
    volatile uint64_t work = 0;
    while (!stop) work = work + 1;
  });
  ThreadSlot* own = slots.Claim(CurrentTid());
  const auto drain = [&](uint32_t last_epoch) {
    memory->samples().Drain(last_epoch, [&](const Sample&) { ++samples; });
  };
  for (int rotation = 0; rotation < kRotations; ++rotation) {
    for (uint64_t seed = 0; seed < kLiveStacks; ++seed) {
      test::PutInActive(Sampling().traces, own->guards, StackOf(seed, 50).AsStack());
    }
    ASSERT_TRUE(memory->traces().ProcessCallTraces(drain, [] {}));
  }
  stop = true;
  busy.join();
  action.Uninstall();
  ASSERT_TRUE(memory->Deactivate());
  drain(0xFFFFFFFF);
  SetThreadSlots(nullptr);

  printf("%d rotations, %lu samples, longest gap %.1f ms\n", kRotations, samples.load(),
         static_cast<double>(g_longest_gap_ns) / 1e6);
  EXPECT_GE(samples.load(), 50u);
  EXPECT_LE(g_longest_gap_ns, 3 * std::max(kInterval, KernelTick()));
}

}  // namespace
}  // namespace jprof
