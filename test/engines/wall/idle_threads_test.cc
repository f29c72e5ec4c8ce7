// Tests threads that sleep while the wall engine ticks: they get almost no signals, and their
// samples account for all of their time.
#include <alloca.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/scoped_fd.h"
#include "chunks/idle_rule.h"
#include "engines/engine_world.h"
#include "engines/wall/credited_time.h"
#include "engines/wall/wall_engine.h"
#include "sigsafe/os/clock.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/no_more.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::LiveThread;
using test::NoMore;
using test::SleepThrough;
using test::ThreadTotals;

constexpr Nanos kIdleInterval = 1'000'000;
constexpr uint32_t kAllEpochs = 0xffffffff;

class IdleThreadsTest : public test::EngineTest {
 protected:
  IdleThreadsTest() : EngineTest(kIdleInterval) {}

  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
  }

  void Start() {
    Rescan();
    engine_ =
        std::make_unique<WallEngine>(registry_, off_thread_, EngineRequest{{kIdleInterval, 1}});
    ASSERT_TRUE(engine_->Start().ok());
  }

  ThreadSlot* SlotOf(const LiveThread& thread) {
    for (uint32_t i = 0; i < world_.slots().HighWater(); ++i) {
      if (world_.slots().At(i)->tid.load() == thread.tid()) return world_.slots().At(i);
    }
    return nullptr;
  }

  static void ExpectAllTimeCredited(const ThreadTotals& totals, const ThreadSlot& slot) {
    test::ExpectAllTimeCredited(totals, slot.claimed_ns.load(), kIdleInterval);
  }

  std::unique_ptr<WallEngine> engine_;
};

TEST_F(IdleThreadsTest, WakesSleepersRarelyAndCreditsAllTheirTime) {
  constexpr size_t kThreads = 50;
  std::vector<std::unique_ptr<LiveThread>> sleepers;
  for (size_t i = 0; i < kThreads; ++i) sleepers.push_back(std::make_unique<LiveThread>());
  Start();
  SleepThrough(1500 * kIdleInterval);
  const WallThreads::Counts early = engine_->threads().counts();
  // The samples so far are not checked for their state: on a busy machine the first signals can
  // find threads that do not sleep yet, or that are still awake from an earlier signal.
  auto totals = DrainTotals();
  SleepThrough(1500 * kIdleInterval);
  const WallThreads::Counts late = engine_->threads().counts();
  engine_->Stop();
  const Nanos stopped_ns = MonotonicNanos();
  // Only this thread gets signals now, because it wakes up between its two sleeps.
  EXPECT_LE(late.signals - early.signals, 10u);
  EXPECT_LE(late.looks - early.looks, (kThreads + 1) * 1500 / 20);
  auto late_totals = DrainTotals();
  for (const auto& sleeper : sleepers) {
    const ThreadSlot& slot = *SlotOf(*sleeper);
    const ThreadTotals& asleep = late_totals[slot.serial.load()];
    EXPECT_GT(asleep.samples, 0u);
    EXPECT_EQ(asleep.sleeping, asleep.samples);
    ThreadTotals& all = totals[slot.serial.load()];
    all.Add(asleep);
    ExpectAllTimeCredited(all, slot);
    EXPECT_LT(stopped_ns - asleep.last_ns, 50 * kIdleInterval) << "credited to the stop";
  }
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

// Each signal makes epoll_wait return, even with SA_RESTART.
TEST_F(IdleThreadsTest, EventLoopsAreInterruptedByTheirFirstSamplesOnly) {
  constexpr int kLoops = 50;
  std::atomic<int> returns{0};
  std::atomic<bool> stop{false};
  const ScopedFd epoll(epoll_create1(EPOLL_CLOEXEC));
  const ScopedFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{};
  event.events = EPOLLIN;
  ASSERT_EQ(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event), 0);
  std::vector<std::unique_ptr<LiveThread>> loops;
  for (int i = 0; i < kLoops; ++i) {
    loops.push_back(std::make_unique<LiveThread>());
    loops.back()->Start([&] {
      while (!stop.load()) {
        epoll_event happened{};
        if (epoll_wait(epoll.get(), &happened, 1, -1) < 0) returns.fetch_add(1);
      }
    });
  }
  Start();
  SleepThrough(1000 * kIdleInterval);
  const int early = returns.load();
  EXPECT_GE(early, kLoops) << "all are sampled";
  SleepThrough(2000 * kIdleInterval);
  EXPECT_LE(returns.load() - early, 5) << "of 100000 intervals; " << early << " before";
  engine_->Stop();
  stop = true;
  eventfd_write(wake.get(), 1);
  for (auto& loop : loops) loop->Finish();
}

// After the signal the thread goes to another wait, deeper in the stack. Going there takes less CPU
// time than the return from a signal, so the engine cannot notice the change by the CPU clock.
TEST_F(IdleThreadsTest, SamplesTheWaitThatFollowsTheSignal) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> below{0};
  const ScopedFd epoll(epoll_create1(EPOLL_CLOEXEC));
  const ScopedFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{};
  event.events = EPOLLIN;
  ASSERT_EQ(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event), 0);
  LiveThread loop;
  loop.Start([&] {
    epoll_event happened{};
    epoll_wait(epoll.get(), &happened, 1, -1);  // waits for the first sample
    auto* const room = static_cast<volatile char*>(alloca(4096));
    *room = 0;
    below = reinterpret_cast<uint64_t>(room);
    while (!stop.load()) epoll_wait(epoll.get(), &happened, 1, -1);
  });
  Start();
  SleepThrough(200 * kIdleInterval);
  engine_->Stop();
  ASSERT_NE(below.load(), 0u);
  EXPECT_LE(SlotOf(loop)->wall_sp.load(), below.load());
  stop = true;
  eventfd_write(wake.get(), 1);
  loop.Finish();
}

// WallThreadsTest checks exactly how many ticks it takes to notice that a thread has run.
TEST_F(IdleThreadsTest, CreditsTimeAfterARunToTheNewStack) {
  LiveThread sleeper;
  world_.walker().first_method = 0x1000;
  Start();
  const ThreadSlot* slot = SlotOf(sleeper);
  void* jni_env = this;
  SlotOf(sleeper)->jni_env = jni_env;  // makes the fake walker walk the thread
  SleepThrough(400 * kIdleInterval);
  const CallTraceId before = slot->LastStackOf(SampleKind::kWall).trace.load();
  ASSERT_NE(before, kNoCallTrace);
  world_.walker().first_method = 0x2000;
  const Nanos run_ns = MonotonicNanos();
  sleeper.Run([] { BurnCpu(kIdleInterval / 4); });
  SleepThrough(400 * kIdleInterval);
  engine_->Stop();
  std::vector<Sample> samples = world_.Drain();
  off_thread_.Drain(kAllEpochs, [&](const Sample& sample) { samples.push_back(sample); });
  Nanos last_on_old_stack_ns = 0;
  Nanos on_new_stack_ns = 0;
  for (const Sample& sample : samples) {
    if (sample.thread.serial() != slot->serial.load()) continue;
    if (sample.trace == before) {
      last_on_old_stack_ns = std::max(last_on_old_stack_ns, sample.time_ns);
    } else if (sample.time_ns > run_ns) {
      on_new_stack_ns += sample.Payload<WallPayload>().elapsed_ns;
    }
  }
  // The margin of 50 intervals is for late ticks on a busy machine.
  EXPECT_LE(last_on_old_stack_ns - run_ns, (kMaxGap + 50) * kIdleInterval);
  EXPECT_GT(on_new_stack_ns, 200 * kIdleInterval);
}

TEST_F(IdleThreadsTest, SamplesOfSeveralChunksAddUpToTheSleep) {
  LiveThread sleeper;
  Start();
  ThreadTotals sum;
  const ThreadSlot* slot = SlotOf(sleeper);
  for (int chunk = 0; chunk < 10; ++chunk) {
    SleepThrough(50 * kIdleInterval);
    engine_->threads().CloseSpans();
    const ThreadTotals part = DrainTotals()[slot->serial.load()];
    EXPECT_GT(part.intervals, 20u) << "each chunk has its part";
    sum.intervals += part.intervals;
    sum.elapsed_ns += part.elapsed_ns;
    sum.last_ns = std::max(sum.last_ns, part.last_ns);
  }
  ExpectAllTimeCredited(sum, *slot);
  engine_->Stop();
}

TEST_F(IdleThreadsTest, ReportsSleepThatHasNoSampleYet) {
  LiveThread sleeper;
  Start();
  const Nanos end_ns = MonotonicNanos() + 20'000 * kIdleInterval;
  while (off_thread_.Later(SampleKind::kWall) < 50 && MonotonicNanos() < end_ns) {
    SleepThrough(10 * kIdleInterval);
  }
  EXPECT_GE(off_thread_.Later(SampleKind::kWall), 50u);
  EXPECT_EQ(off_thread_.Later(SampleKind::kCpu), 0u);
  engine_->Stop();
  EXPECT_EQ(off_thread_.Later(SampleKind::kWall), 0u) << "now there are samples";
}

TEST_F(IdleThreadsTest, KeepsSamplesAndStacksOfALaterEpoch) {
  LiveThread sleeper;
  Start();
  SleepThrough(50 * kIdleInterval);
  const CallTraceId trace = SlotOf(sleeper)->LastStackOf(SampleKind::kWall).trace.load();
  LiveCallTraces live;
  engine_->threads().CloseSpans();
  int seen = 0;
  const auto count = [&](const Sample&) { ++seen; };
  off_thread_.Drain(world_.table().epoch() - 1, count);
  EXPECT_EQ(seen, 0);
  off_thread_.Drain(world_.table().epoch(), count);
  EXPECT_GT(seen, 0);
  SleepThrough(5 * kIdleInterval);
  engine_->Stop();
  off_thread_.KeepLive(live);
  EXPECT_TRUE(live.Has(trace)) << "what the stop left is not drained yet";
}

TEST_F(IdleThreadsTest, CreditsAThreadUntilItReportsItsEnd) {
  LiveThread java;
  int env = 0;
  java.Run([&] { registry_.OnJavaThreadStart(&env, {}); });
  const ThreadSlot* slot = SlotOf(java);
  const uint32_t serial = slot->serial.load();
  const Nanos begin_ns = slot->claimed_ns.load();
  Start();
  SleepThrough(300 * kIdleInterval);
  Nanos end_ns = 0;
  java.Run([&] {
    end_ns = MonotonicNanos();
    registry_.OnJavaThreadEnd(nullptr);
  });
  engine_->Stop();
  const ThreadTotals totals = DrainTotals()[serial];
  const Nanos cuts = WallCutBefore(end_ns, kIdleInterval) -
                     WallCutBefore(std::max(begin_ns, Sampling().start_ns), kIdleInterval);
  EXPECT_GE(totals.intervals, static_cast<uint64_t>(cuts / kIdleInterval));
  EXPECT_LE(totals.intervals, static_cast<uint64_t>(cuts / kIdleInterval) + 50);
}

TEST_F(IdleThreadsTest, LosesTheTimeOfAThreadThatBlocksTheSignal) {
  LiveThread deaf;
  deaf.Run([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  });
  Start();
  SleepThrough(100 * kIdleInterval);
  engine_->Stop();
  EXPECT_EQ(DrainTotals()[SlotOf(deaf)->serial.load()].intervals, 0u);
  EXPECT_GE(world_.TakeLost(SampleKind::kWall, LostReason::kNoSignal), 90u);
}

// BlockedSignalTest has a thread that is sampled and then blocks all signals.
class BlockedSignalTest : public IdleThreadsTest {
 protected:
  void StartAndAwaitSample() {
    thread_.emplace();
    Start();
    while (SlotOf(*thread_)->LastStackOf(SampleKind::kWall).trace.load() == kNoCallTrace) {
      SleepThrough(kIdleInterval);
    }
    slot_ = SlotOf(*thread_);
    serial_ = slot_->serial.load();
    begin_ns_ = std::max(slot_->claimed_ns.load(), Sampling().start_ns);
  }

  void Block(int how) {
    thread_->Run([how] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(how, &all, nullptr);
      BurnCpu(3 * kIdleInterval);  // more CPU time than a thread uses that is still in its wait
    });
  }

  uint64_t IntervalsUntil(Nanos now_ns) const {
    return static_cast<uint64_t>(now_ns / kIdleInterval - begin_ns_ / kIdleInterval);
  }

  uint64_t Lost() {
    uint64_t intervals = 0;
    for (const ThreadLoss& loss : registry_.TakeLosses()) {
      if (loss.kind == SampleKind::kWall && loss.serial == serial_) {
        intervals += test::IntervalsOf(loss.kind, loss.weight);
      }
    }
    return intervals;
  }

  std::optional<LiveThread> thread_;
  ThreadSlot* slot_ = nullptr;
  uint32_t serial_ = 0;
  Nanos begin_ns_ = 0;
};

TEST_F(BlockedSignalTest, LosesItsTimeFromThenOn) {
  StartAndAwaitSample();
  Block(SIG_BLOCK);
  const Nanos blocked_ns = MonotonicNanos();
  SleepThrough(400 * kIdleInterval);
  engine_->Stop();
  const Nanos stopped_ns = MonotonicNanos();
  const uint64_t sampled = DrainTotals()[serial_].intervals;
  const uint64_t lost = Lost();
  EXPECT_LE(sampled, IntervalsUntil(blocked_ns) + 1);
  EXPECT_GE(sampled + lost + 50, IntervalsUntil(stopped_ns)) << "the stop takes a while";
  EXPECT_LE(sampled + lost, IntervalsUntil(stopped_ns));
}

TEST_F(BlockedSignalTest, LosesItsTimeIfItsEndIsNotReported) {
  StartAndAwaitSample();
  Block(SIG_BLOCK);
  SleepThrough(400 * kIdleInterval);
  const Nanos ended_ns = MonotonicNanos();
  thread_->End();
  Rescan();
  engine_->Stop();
  const uint64_t sampled = DrainTotals()[serial_].intervals;
  const uint64_t lost = Lost();
  EXPECT_GE(sampled + lost + 50, IntervalsUntil(ended_ns)) << sampled << " and " << lost;
}

TEST_F(BlockedSignalTest, IsSampledAgainOnceTheSignalIsUnblocked) {
  StartAndAwaitSample();
  Block(SIG_BLOCK);
  SleepThrough(200 * kIdleInterval);
  DrainTotals();
  const Nanos listens_ns = MonotonicNanos();
  Block(SIG_UNBLOCK);
  SleepThrough(200 * kIdleInterval);
  engine_->Stop();
  EXPECT_GE(Lost(), 100u);
  const ThreadTotals after = DrainTotals()[serial_];
  EXPECT_GE(after.intervals, 150u);
  EXPECT_LE(after.intervals, IntervalsUntil(MonotonicNanos()) - IntervalsUntil(listens_ns) + 50);
}

// Without memory in the kernel's queue, a signal arrives without the siginfo that its sender has
// set.
TEST_F(IdleThreadsTest, SamplesThreadsIfNoSignalCanBeQueued) {
  LiveThread sleeper;
  LiveThread runner;
  std::atomic<bool> stop{false};
  const NoMore signals(RLIMIT_SIGPENDING);
  Start();
  runner.Start([&] {
    while (!stop.load(std::memory_order_relaxed)) {
    }
  });
  SleepThrough(500 * kIdleInterval);
  engine_->Stop();
  stop = true;
  runner.Finish();
  auto totals = DrainTotals();
  for (const LiveThread* thread : {&sleeper, &runner}) {
    const ThreadSlot& slot = *SlotOf(*thread);
    ExpectAllTimeCredited(totals[slot.serial.load()], slot);
  }
  EXPECT_GT(totals[SlotOf(runner)->serial.load()].samples, 10u);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

}  // namespace
}  // namespace jprof
