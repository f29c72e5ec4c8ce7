#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <optional>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "threads/registry_world.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::LiveThread;

void SomebodyElse(int) {}

struct sigaction ActionOf(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action;
}

class ThreadPrimerTest : public test::RegistryTest {
 protected:
  ThreadPrimerTest() { SetThreadSlots(&slots_); }
  ~ThreadPrimerTest() override { SetThreadSlots(nullptr); }

  // Waits until the thread sleeps, because a thread that has reported the end of its work still
  // runs for a moment.
  static void AwaitSleep(LiveThread& thread) {
    Nanos used_ns = -1;
    while (used_ns != test::CpuNanosOf(thread.handle())) {
      used_ns = test::CpuNanosOf(thread.handle());
      usleep(20'000);
    }
  }

  std::unique_ptr<ThreadPrimer> primer_ = std::move(ThreadPrimer::Start()).value();
};

TEST_F(ThreadPrimerTest, APrimedThreadAdoptsItsSlot) {
  LiveThread thread;
  Rescan();
  ThreadSlot* slot = SlotOf(thread.tid());
  ASSERT_NE(slot, nullptr);
  EXPECT_TRUE(primer_->Prime(*slot));
  ThreadSlot* known = nullptr;
  while (!slot->adopted.load()) usleep(100);
  thread.Run([&] { known = CurrentThread(); });
  EXPECT_EQ(known, slot);
}

// The second call to PrimeRunning primes a thread that has run since the first call, and does not
// prime a thread that sleeps.
TEST_F(ThreadPrimerTest, OnlyThreadsThatRunArePrimed) {
  LiveThread runs;
  LiveThread sleeps;
  AwaitSleep(sleeps);
  Rescan();
  std::vector<Tid> primed;
  const auto prime = [&](const ThreadSlot& thread) {
    primed.push_back(thread.tid.load());
    return primer_->Prime(thread);
  };
  registry_.PrimeRunning(prime);
  EXPECT_TRUE(primed.empty());
  runs.Run([] { BurnCpu(1'000'000); });
  registry_.PrimeRunning(prime);
  EXPECT_EQ(std::count(primed.begin(), primed.end(), runs.tid()), 1);
  EXPECT_EQ(std::count(primed.begin(), primed.end(), sleeps.tid()), 0);
  EXPECT_GE(registry_.Counts().signals, 1u);

  ThreadSlot* slot = SlotOf(runs.tid());
  while (!slot->adopted.load()) usleep(100);
  primed.clear();
  runs.Run([] { BurnCpu(1'000'000); });
  registry_.PrimeRunning(prime);
  EXPECT_EQ(std::count(primed.begin(), primed.end(), runs.tid()), 0)
      << "it has adopted its slot already";
}

// All processes of a user share the limit of queued signals, so signals that stay queued leave less
// room for other processes.
TEST_F(ThreadPrimerTest, SendsOneSignalToAThreadThatBlocksIt) {
  LiveThread deaf;
  deaf.Run([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  });
  Rescan();
  const auto signals_to_deaf = [&] {
    int sent = 0;
    deaf.Run([] { BurnCpu(1'000'000); });
    registry_.PrimeRunning([&](const ThreadSlot& thread) {
      if (thread.tid.load() != deaf.tid()) return false;
      ++sent;
      return primer_->Prime(thread);
    });
    return sent;
  };
  signals_to_deaf();  // the first call to PrimeRunning sends no signal
  EXPECT_EQ(signals_to_deaf(), 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(signals_to_deaf(), 0);
  // The thread attaches to the JVM and detaches. It then gets another slot, but no further signal.
  deaf.Run([&] {
    registry_.OnJavaThreadStart(&registry_, test::JavaNamed("java"));
    registry_.OnJavaThreadEnd(nullptr);
  });
  Rescan();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(signals_to_deaf(), 0);
  Begin();  // the pending signal was dropped with its handler
  signals_to_deaf();
  EXPECT_EQ(signals_to_deaf(), 1);
}

TEST_F(ThreadPrimerTest, LeavesAUsedSignalAndReturnsItsOwn) {
  const int first = primer_->signal();
  EXPECT_GE(first, SIGRTMIN);
  EXPECT_LE(first, SIGRTMAX);
  primer_.reset();
  EXPECT_EQ(ActionOf(first).sa_handler, SIG_DFL);
  signal(first, SomebodyElse);
  primer_ = std::move(ThreadPrimer::Start()).value();
  EXPECT_NE(primer_->signal(), first);
  EXPECT_EQ(ActionOf(first).sa_handler, SomebodyElse);
  signal(first, SIG_DFL);
}

TEST_F(ThreadPrimerTest, AThreadThatIsGoneCannotBePrimed) {
  ThreadSlot* slot = nullptr;
  {
    LiveThread thread;
    Rescan();
    slot = SlotOf(thread.tid());
    ASSERT_NE(slot, nullptr);
  }
  EXPECT_FALSE(primer_->Prime(*slot));
}

TEST_F(ThreadPrimerTest, ThreadsAreCountedByThePathByWhichTheyBecameKnown) {
  Begin();
  LiveThread before;
  Rescan();
  LiveThread later;
  ASSERT_TRUE(registry_.Rescan(PrimingPath::kWatcher).ok());
  LiveThread java;
  java.Run([&] { registry_.OnJavaThreadStart(&java, test::JavaNamed("java")); });
  const PrimingCounts counts = registry_.Counts();
  EXPECT_GE(counts.threads[static_cast<size_t>(PrimingPath::kScan)], 2u);
  EXPECT_EQ(counts.threads[static_cast<size_t>(PrimingPath::kWatcher)], 1u);
  EXPECT_EQ(counts.threads[static_cast<size_t>(PrimingPath::kJvmti)], 1u);
  EXPECT_EQ(counts.threads[static_cast<size_t>(PrimingPath::kClaim)], 0u);
  size_t taken = 0;
  for (uint32_t i = 0; i < slots_.HighWater(); ++i) taken += slots_.IsTaken(i) ? 1 : 0;
  EXPECT_EQ(counts.slots_in_use, taken);
  const auto& latency = counts.latency;
  EXPECT_EQ(latency[static_cast<size_t>(PrimingPath::kScan)].threads, 0u);
  EXPECT_EQ(latency[static_cast<size_t>(PrimingPath::kWatcher)].threads, 1u);
  java.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
}

TEST_F(ThreadPrimerTest, TheHooksLatencyCountsFromTheCreation) {
  Begin();
  LiveThread thread;
  const Nanos before_ns = MonotonicNanos();
  thread.Run([&] { registry_.OnNativeThreadStart(before_ns - 5'000'000); });
  const Nanos after_ns = MonotonicNanos();
  const PrimeLatency latency = registry_.Counts().latency[static_cast<size_t>(PrimingPath::kHook)];
  EXPECT_EQ(latency.threads, 1u);
  EXPECT_GE(latency.total_ns, 5'000'000);
  EXPECT_LE(latency.total_ns, 5'000'000 + (after_ns - before_ns));
  EXPECT_EQ(latency.max_ns, latency.total_ns);
}

}  // namespace
}  // namespace jprof
