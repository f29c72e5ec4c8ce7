#include "os/cpu_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>

#include "sigsafe/os/thread_id.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::BurnUntil;
using test::CpuNanosOf;
using test::LiveThread;
using testing::HasSubstr;

constexpr int kTimerSignal = SIGPROF;
constexpr Nanos kMilli = 1'000'000;

struct Fired {
  std::atomic<uint64_t> signals;
  std::atomic<uint64_t> expiries;
  std::atomic<uint64_t> elsewhere;  // signals on another thread, or not of our timers
  std::atomic<Nanos> clock_ns;      // CPU time of the thread in the last signal
  std::atomic<Tid> expected;
};
Fired g_fired;

void OnTimer(int, siginfo_t* info, void*) {
  g_fired.signals.fetch_add(1);
  g_fired.expiries.fetch_add(1 + static_cast<uint64_t>(info->si_overrun));
  g_fired.clock_ns = CpuNanosOf(pthread_self());
  if (CurrentTid() != g_fired.expected.load() || info->si_code != SI_TIMER ||
      info->si_value.sival_int != 4711) {
    g_fired.elsewhere.fetch_add(1);
  }
}

// Returns the number of timers of this process that the kernel lists.
size_t TimersOfProcess() {
  std::ifstream timers("/proc/self/timers");
  size_t count = 0;
  for (std::string line; std::getline(timers, line);) count += line.starts_with("ID:") ? 1 : 0;
  return count;
}

class CpuTimerTest : public testing::Test {
 protected:
  CpuTimerTest() {
    g_fired.signals = 0;
    g_fired.expiries = 0;
    g_fired.elsewhere = 0;
    g_fired.clock_ns = 0;
    struct sigaction action = {};
    action.sa_sigaction = OnTimer;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(kTimerSignal, &action, &previous_);
  }
  ~CpuTimerTest() override { sigaction(kTimerSignal, &previous_, nullptr); }

  Result<CpuTimer> TimerOf(Tid tid, CpuTimer::Schedule schedule) {
    g_fired.expected = tid;
    sigval cookie{};
    cookie.sival_int = 4711;
    return CpuTimer::Create(tid, kTimerSignal, cookie, schedule);
  }

  struct sigaction previous_ = {};
};

TEST_F(CpuTimerTest, ExpiriesSumToTheCpuTimeOfTheThread) {
  LiveThread busy;
  LiveThread other;
  Result<CpuTimer> timer = TimerOf(busy.tid(), {kMilli, kMilli});
  ASSERT_TRUE(timer.ok());
  const Nanos before_ns = CpuNanosOf(busy.handle());
  other.Start([] { BurnCpu(300 * kMilli); });
  busy.Run([] { BurnCpu(1100 * kMilli); });
  other.Finish();
  // Counts only up to the last signal: how late the next one would be depends on the machine.
  const Nanos consumed_ns = g_fired.clock_ns - before_ns;
  const double share = static_cast<double>(g_fired.expiries) * static_cast<double>(kMilli) /
                       static_cast<double>(consumed_ns);
  EXPECT_NEAR(share, 1.0, 0.05) << g_fired.signals << " signals";
  EXPECT_GT(consumed_ns, 500 * kMilli);
  EXPECT_EQ(g_fired.elsewhere, 0u);
}

TEST_F(CpuTimerTest, AThreadThatSleepsGetsNoSignal) {
  LiveThread sleeper;
  Result<CpuTimer> timer = TimerOf(sleeper.tid(), {kMilli, kMilli});
  ASSERT_TRUE(timer.ok());
  sleeper.Run([] {
    timespec left{0, 300 * kMilli};
    while (nanosleep(&left, &left) != 0) {
    }
  });
  EXPECT_EQ(g_fired.expiries, 0u);
}

TEST_F(CpuTimerTest, TheFirstExpiryHasItsOwnTime) {
  LiveThread busy;
  Result<CpuTimer> timer = TimerOf(busy.tid(), {kMilli, 3600 * kNanosPerSecond});
  busy.Run([] { BurnUntil([] { return g_fired.expiries > 0; }); });
  busy.Run([] { BurnCpu(50 * kMilli); });
  EXPECT_EQ(g_fired.expiries, 1u);
}

TEST_F(CpuTimerTest, ADeletedTimerIsSilent) {
  LiveThread busy;
  Result<CpuTimer> timer = TimerOf(busy.tid(), {kMilli, kMilli});
  timer.value().Delete();
  timer.value().Delete();
  busy.Run([] { BurnCpu(50 * kMilli); });
  EXPECT_EQ(g_fired.expiries, 0u);
}

TEST_F(CpuTimerTest, AMovedTimerKeepsFiringAndIsDeletedOnce) {
  LiveThread busy;
  auto kept = std::make_unique<CpuTimer>();
  {
    Result<CpuTimer> timer = TimerOf(busy.tid(), {kMilli, kMilli});
    *kept = std::move(timer).value();
  }
  busy.Run([] { BurnUntil([] { return g_fired.expiries > 20; }); });
  EXPECT_GT(g_fired.expiries, 20u);
  *kept = CpuTimer();
  const uint64_t before = g_fired.expiries;
  busy.Run([] { BurnCpu(50 * kMilli); });
  EXPECT_EQ(g_fired.expiries, before);
}

TEST_F(CpuTimerTest, RefusesAnExitedThreadAndOneOfAnotherProcess) {
  LiveThread thread;
  thread.End();
  const Result<CpuTimer> gone = TimerOf(thread.tid(), {kMilli, kMilli});
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(gone.error().message(), HasSubstr("cannot timer_create thread "));
  EXPECT_FALSE(TimerOf(Tid{getppid()}, {kMilli, kMilli}).ok());
}

TEST_F(CpuTimerTest, ATimerOutlivesItsThread) {
  LiveThread thread;
  const size_t before = TimersOfProcess();
  Result<CpuTimer> timer = TimerOf(thread.tid(), {kMilli, kMilli});
  ASSERT_TRUE(timer.ok()) << timer.error().message();
  thread.End();
  EXPECT_EQ(TimersOfProcess(), before + 1);
  timer.value().Delete();
  EXPECT_EQ(TimersOfProcess(), before);
}

TEST_F(CpuTimerTest, SaysWhatToDoAtTheLimitOfQueuedSignals) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer's runtime does not survive in the child";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_SIGPENDING, &none);
    const Result<CpuTimer> timer = TimerOf(CurrentTid(), {kMilli, kMilli});
    const bool is_named =
        !timer.ok() && timer.error().message().find("ulimit -i") != std::string::npos;
    _exit(is_named ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace jprof
