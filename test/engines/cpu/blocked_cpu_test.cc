// Tests that the CPU time of threads that no SIGPROF reaches is counted as lost (kNoSignal), and
// never credited to the last stack of the thread.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "engines/cpu/cpu_engine.h"
#include "engines/engine_world.h"
#include "os/perf_event.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/no_more.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::CpuNanosOf;
using test::LiveThread;
using test::NoMore;

constexpr Nanos kBlockedInterval = 1'000'000;
constexpr uint64_t kBurntUnblocked = 100;  // intervals of CPU time with the signal unblocked
constexpr uint64_t kBurntBlocked = 200;    // intervals of CPU time with the signal blocked
// The most intervals that can still be due after an inspection, with a margin for a busy machine.
constexpr uint64_t kRest = 15;

class BlockedCpuTest : public test::EngineTest, public testing::WithParamInterface<CpuTrigger> {
 protected:
  BlockedCpuTest() : EngineTest(kNanosPerSecond) {}

  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
    if (GetParam() == CpuTrigger::kPerfEvents && !PerfEvent::CheckIsAllowed().ok()) {
      GTEST_SKIP() << "this machine refuses perf_events";
    }
    thread_.emplace();
    Rescan();
  }

  void Start() {
    engine_ = StartEngine<CpuEngine>(CpuChoice{GetParam(), kBlockedInterval, "test"});
    serial_ = SerialOf(thread_->tid());
    before_ns_ = CpuNanosOf(thread_->handle());
  }

  void Burn(uint64_t intervals) {
    thread_->Run([&] { BurnCpu(static_cast<Nanos>(intervals) * kBlockedInterval); });
  }

  void Mask(int how) {
    thread_->Run([how] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(how, &all, nullptr);
    });
  }

  uint64_t Used() {
    return static_cast<uint64_t>((CpuNanosOf(thread_->handle()) - before_ns_) / kBlockedInterval);
  }
  uint64_t Sampled() { return DrainTotals()[serial_].intervals; }
  uint64_t Lost() {
    uint64_t intervals = 0;
    for (const ThreadLoss& loss : registry_.TakeLosses()) {
      if (loss.serial != serial_) continue;
      EXPECT_EQ(loss.reason, LostReason::kNoSignal);
      EXPECT_EQ(loss.kind, SampleKind::kCpu);
      intervals += test::IntervalsOf(loss.kind, loss.weight);
    }
    return intervals;
  }

  std::optional<LiveThread> thread_;
  std::unique_ptr<Engine> engine_;
  uint32_t serial_ = 0;
  Nanos before_ns_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Triggers, BlockedCpuTest,
                         testing::Values(CpuTrigger::kThreadTimers, CpuTrigger::kPerfEvents,
                                         CpuTrigger::kProcessTimer));

TEST_P(BlockedCpuTest, IsLostAtTheStop) {
  Start();
  Burn(kBurntUnblocked);
  Mask(SIG_BLOCK);
  Burn(kBurntBlocked);
  const uint64_t used = Used();
  engine_->Stop();
  const uint64_t sampled = Sampled();
  const uint64_t lost = Lost();
  EXPECT_LE(sampled, kBurntUnblocked + kRest);
  EXPECT_NEAR(static_cast<double>(sampled + lost), static_cast<double>(used), 2);
}

TEST_P(BlockedCpuTest, IsLostAtAnInspectionWhileTheThreadLives) {
  Start();
  Mask(SIG_BLOCK);
  for (int i = 0; i < 3; ++i) {
    Burn(kBurntBlocked);
    engine_->InspectThreads();
    EXPECT_GE(Lost() + kRest, kBurntBlocked);
  }
  EXPECT_LE(Sampled(), 1u);
}

// The kernel blocks the signal for a handler, and can preempt the handler before its first
// instruction. The engine must not take a thread in this state for one that blocks the signal
// itself.
TEST_P(BlockedCpuTest, AThreadThatBlocksForAMomentLosesNothing) {
  if (GetParam() == CpuTrigger::kProcessTimer) GTEST_SKIP() << "its signals go to others";
  Start();
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> is_late{false};
    std::atomic<bool> is_inspected{false};
    std::thread inspector([&] {
      while (!is_late) sched_yield();
      is_inspected = true;
      engine_->InspectThreads();
    });
    thread_->Run([&] {
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, &before);
      BurnCpu(20 * kBlockedInterval);
      is_late = true;
      while (!is_inspected) continue;
      BurnCpu(kBlockedInterval / 2);
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      BurnCpu(5 * kBlockedInterval);
    });
    inspector.join();
  }
  EXPECT_EQ(Lost(), 0u);
}

TEST_P(BlockedCpuTest, IsLostUpToTheLastInspectionIfTheEndIsNotReported) {
  Start();
  Mask(SIG_BLOCK);
  Burn(kBurntBlocked);
  engine_->InspectThreads();
  thread_->End();
  Rescan();
  EXPECT_EQ(SerialOf(thread_->tid()), 0u);
  EXPECT_GE(Lost() + kRest, kBurntBlocked);
}

TEST_P(BlockedCpuTest, IsLostAtAReportedEnd) {
  Start();
  thread_->Run([&] { registry_.OnJavaThreadStart(&registry_, {}); });
  Burn(kBurntUnblocked);
  Mask(SIG_BLOCK);
  Burn(kBurntBlocked);
  if (GetParam() == CpuTrigger::kProcessTimer) {
    engine_->InspectThreads();  // the signals of the process timer go to other threads
  }
  Burn(5);
  const uint64_t used = Used();
  thread_->Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  const uint64_t sampled = Sampled();
  const uint64_t lost = Lost();
  EXPECT_LE(sampled, kBurntUnblocked + kRest);
  EXPECT_NEAR(static_cast<double>(sampled + lost), static_cast<double>(used), 2);
}

TEST_P(BlockedCpuTest, IsSampledAgainOnceTheSignalIsUnblocked) {
  Start();
  Mask(SIG_BLOCK);
  Burn(kBurntBlocked);
  engine_->InspectThreads();
  Mask(SIG_UNBLOCK);
  Burn(kBurntUnblocked);
  engine_->InspectThreads();
  const uint64_t used = Used();
  engine_->Stop();
  const uint64_t sampled = Sampled();
  const uint64_t lost = Lost();
  EXPECT_GE(sampled + kRest, kBurntUnblocked);
  EXPECT_GE(lost + kRest, kBurntBlocked);
  EXPECT_NEAR(static_cast<double>(sampled + lost), static_cast<double>(used), 2);
}

TEST_P(BlockedCpuTest, IsLostIfTheThreadHasNoTrigger) {
  if (GetParam() == CpuTrigger::kProcessTimer) GTEST_SKIP() << "there is one for all";
  {
    const NoMore files(RLIMIT_NOFILE);
    const NoMore signals(RLIMIT_SIGPENDING);
    Start();
  }
  Burn(kBurntBlocked);
  engine_->InspectThreads();
  thread_->End();
  Rescan();
  EXPECT_GE(Lost() + kRest, kBurntBlocked);
}

}  // namespace
}  // namespace jprof
