#include "os/perf_event.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "os/cpu_timer.h"
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

constexpr Nanos kPerfMilli = 1'000'000;

struct PerfFired {
  std::atomic<uint64_t> signals;
  std::atomic<uint64_t> elsewhere;  // signals on another thread, or with unexpected values
  std::atomic<Tid> tid;
  std::atomic<int> code;
  std::atomic<int> fd;
};
PerfFired g_perf_fired;

void OnSignal(int, siginfo_t* info, void*) {
  g_perf_fired.signals.fetch_add(1);
  const bool as_expected =
      info->si_code == g_perf_fired.code.load() &&
      (g_perf_fired.tid.load() == Tid{0} || CurrentTid() == g_perf_fired.tid.load()) &&
      (g_perf_fired.fd.load() < 0 || info->si_fd == g_perf_fired.fd.load());
  if (!as_expected) g_perf_fired.elsewhere.fetch_add(1);
}

class CpuSignalsTest : public testing::Test {
 protected:
  CpuSignalsTest() {
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, &previous_);
  }
  ~CpuSignalsTest() override { sigaction(SIGPROF, &previous_, nullptr); }

  static void Expect(Tid tid, int code, int fd) {
    g_perf_fired.signals = 0;
    g_perf_fired.elsewhere = 0;
    g_perf_fired.tid = tid;
    g_perf_fired.code = code;
    g_perf_fired.fd = fd;
  }

  struct sigaction previous_ = {};
};

class PerfEventTest : public CpuSignalsTest {
 protected:
  void SetUp() override {
    const Status allowed = PerfEvent::CheckIsAllowed();
    if (!allowed.ok()) GTEST_SKIP() << allowed.error().message();
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
  }
};

TEST_F(PerfEventTest, SignalsOnlyItsThreadAndNamesItsDescriptor) {
  LiveThread busy;
  LiveThread other;
  const Result<PerfEvent> event = PerfEvent::Open(busy.tid(), SIGPROF, kPerfMilli / 2);
  ASSERT_TRUE(event.ok()) << event.error().message();
  Expect(busy.tid(), POLL_IN, event.value().fd());
  busy.Run([] { BurnCpu(20 * kPerfMilli); });
  EXPECT_EQ(g_perf_fired.signals, 0u) << "not enabled yet";
  event.value().Enable();
  other.Start([] { BurnCpu(50 * kPerfMilli); });
  const Nanos before_ns = CpuNanosOf(busy.handle());
  busy.Run([] { BurnUntil([] { return g_perf_fired.signals > 100; }); });
  other.Finish();
  EXPECT_GT(g_perf_fired.signals, 100u);
  const Nanos used_ns = CpuNanosOf(busy.handle()) - before_ns;
  EXPECT_LT(g_perf_fired.signals, static_cast<uint64_t>(used_ns / kPerfMilli) * 26 / 10 + 10)
      << "two a millisecond";
  EXPECT_EQ(g_perf_fired.elsewhere, 0u);
  event.value().Disable();
  const uint64_t before = g_perf_fired.signals;
  busy.Run([] { BurnCpu(20 * kPerfMilli); });
  EXPECT_LE(g_perf_fired.signals, before + 1);
}

TEST_F(PerfEventTest, NamesAThreadThatIsGone) {
  LiveThread thread;
  thread.End();
  const Result<PerfEvent> gone = PerfEvent::Open(thread.tid(), SIGPROF, kPerfMilli);
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(gone.error().message(),
              HasSubstr("cannot perf_event_open thread " + std::to_string(Value(thread.tid()))));
}

TEST_F(PerfEventTest, TheDescriptorIsNotInherited) {
  const Result<PerfEvent> event = PerfEvent::Open(CurrentTid(), SIGPROF, kNanosPerSecond);
  EXPECT_NE(fcntl(event.value().fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(PerfEventTest, TheLastQuarterOfTheDescriptorsIsLeftToTheProgram) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  constexpr rlim_t kLimit = 256;
  const rlimit few{kLimit, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  std::vector<PerfEvent> events;
  for (;;) {
    Result<PerfEvent> event = PerfEvent::Open(CurrentTid(), SIGPROF, kNanosPerSecond);
    if (!event.ok()) {
      EXPECT_THAT(event.error().message(), HasSubstr("ulimit -n"));
      break;
    }
    events.push_back(std::move(event).value());
  }
  std::vector<ScopedFd> left;
  for (rlim_t i = 0; i < kLimit / 8; ++i) {  // the program might have opened some already
    left.emplace_back(dup(STDERR_FILENO));
    EXPECT_TRUE(left.back().valid());
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

using ProcessTimerTest = CpuSignalsTest;

TEST_F(ProcessTimerTest, SignalsWhileTheProcessRunsUntilItIsStopped) {
  Expect(Tid{0}, SI_KERNEL, -1);
  Result<ProcessTimer> timer = ProcessTimer::Start(10 * kPerfMilli);
  ASSERT_TRUE(timer.ok());
  EXPECT_FALSE(ProcessTimer::Start(kPerfMilli).ok()) << "somebody uses it";
  BurnUntil([] { return g_perf_fired.signals > 10; });
  EXPECT_GT(g_perf_fired.signals, 10u);
  EXPECT_EQ(g_perf_fired.elsewhere, 0u);
  timer.value().Stop();
  const uint64_t before = g_perf_fired.signals;
  BurnCpu(50 * kPerfMilli);
  EXPECT_LE(g_perf_fired.signals, before + 1);
  EXPECT_TRUE(ProcessTimer::Start(kPerfMilli).ok());
}

namespace {
__attribute__((noinline)) void Watched() { asm volatile(""); }
}  // namespace

TEST_F(CpuSignalsTest, ABreakpointSignalsEachCallOnTheCallingThreadAndNoOther) {
  if (test::kUnderTsan) GTEST_SKIP() << "TSan runs handlers late: 100 signals are one";
  LiveThread other;
  Result<PerfEvent> event =
      PerfEvent::AtInstruction(CurrentTid(), SIGPROF, reinterpret_cast<uint64_t>(&Watched));
  if (!event) GTEST_SKIP() << "the kernel has no breakpoints here: " << event.error().message();
  Watched();
  Expect(CurrentTid(), POLL_IN, event.value().fd());
  event.value().Enable();
  for (int i = 0; i < 100; ++i) Watched();
  other.Run([] { Watched(); });
  event.value().Disable();
  Watched();
  EXPECT_EQ(g_perf_fired.signals.load(), 100U);
  EXPECT_EQ(g_perf_fired.elsewhere.load(), 0U);
}

TEST_F(CpuSignalsTest, MoreBreakpointsThanTheProcessorHasAreRefused) {
  std::vector<PerfEvent> events;
  for (int i = 0; i < 40; ++i) {
    Result<PerfEvent> event = PerfEvent::AtInstruction(
        CurrentTid(), SIGPROF, reinterpret_cast<uint64_t>(&Watched) + 4 * i);
    if (!event) {
      EXPECT_THAT(event.error().message(), HasSubstr("perf_event_open"));
      return;
    }
    events.push_back(std::move(event).value());
  }
  FAIL() << "no processor has 40";
}

}  // namespace
}  // namespace jprof
