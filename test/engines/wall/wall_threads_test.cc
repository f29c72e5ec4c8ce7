#include "engines/wall/wall_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "os/cpu_clock.h"
#include "os/read_file.h"
#include "os/task_list.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/sampling_world.h"

namespace jprof {
namespace {

constexpr Nanos kInterval = 1'000'000;
constexpr CallTraceId kTrace{(uint64_t{1} << 32) | 1};

Nanos g_now_ns = 0;

// WallThreadsTest has a thread that waits, and a clock that the test advances. Tick makes
// WallThreads look at the thread.
class WallThreadsTest : public testing::Test {
 protected:
  WallThreadsTest() {
    AwaitItsWait();
    g_now_ns = WallCutBefore(MonotonicNanos(), kInterval) + kInterval;
    slot_ = world_.slots().Claim(sleeper_.tid());
    slot_->claimed_ns = g_now_ns;
    threads_.emplace(off_thread_, kInterval, [] { return g_now_ns; });
    threads_->Add(*slot_);
  }

  // Advances the clock by one interval and ticks. Returns true if the tick has read the thread's
  // CPU clock.
  bool Tick() {
    const uint64_t looks = threads_->counts().looks;
    g_now_ns += kInterval;
    threads_->Tick(
        {[this](const ThreadSlot&) { return Answer(); }, [](const ThreadSlot&) { return false; }});
    return threads_->counts().looks > looks;
  }

  // Ticks until a signal is sent to the thread and answered.
  void AwaitSignal() {
    const uint64_t signals = threads_->counts().signals;
    while (threads_->counts().signals == signals) Tick();
  }

  // Ticks until the thread has answered a signal. Then ticks once more; this tick finds the thread
  // asleep.
  void FallAsleep() {
    AwaitSignal();
    Tick();
    asleep_since_ns_ = g_now_ns;
  }

  void LetRun(Nanos cpu_ns) {
    sleeper_.Run([cpu_ns] { test::BurnCpu(cpu_ns); });
    AwaitItsWait();
  }

  void AwaitItsWait() const {
    const std::string stat = "/proc/self/task/" + std::to_string(Value(sleeper_.tid())) + "/stat";
    while (ReadFile(stat).value().find(") S ") == std::string::npos) std::this_thread::yield();
  }

  int64_t IntervalsAsleep() const { return (g_now_ns - asleep_since_ns_) / kInterval; }

  Nanos LastCredited() {
    Nanos last_ns = 0;
    off_thread_.Drain(0xffffffff,
                      [&](const Sample& sample) { last_ns = std::max(last_ns, sample.time_ns); });
    return last_ns;
  }

  uint64_t Credited() {
    uint64_t weight = 0;
    off_thread_.Drain(0xffffffff, [&](const Sample& sample) { weight += sample.weight; });
    return weight;
  }

  test::LiveThread sleeper_;
  bool lacks_tables_ = false;  // true if the sleeper's stacks lack unwind tables from now on
  std::optional<WallThreads> threads_;

 private:
  // Does what the handler of the signal does on the thread.
  bool Answer() {
    AccountWallTime(*slot_, Sampling(), g_now_ns);
    slot_->LastStackOf(SampleKind::kWall).trace = kTrace;
    slot_->wall_activity = ThreadActivity::kSleeping;
    slot_->wall_lacks_tables = lacks_tables_;
    slot_->wall_sp = StackPointerInTheKernel();
    slot_->wall_answer_ns = TaskCpuNanos(sleeper_.tid());
    return true;
  }

  // Returns the stack pointer of the sleeper; 0 if the kernel does not report it.
  uint64_t StackPointerInTheKernel() const {
    std::istringstream words(TaskSyscall(sleeper_.tid()));
    std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    return all.size() < 3 ? 0 : std::stoull(all[all.size() - 2], nullptr, 16);
  }

  test::SamplingWorld world_{{.wall_interval_ns = kInterval}};
  OffThreadSamples off_thread_;
  ThreadSlot* slot_ = nullptr;
  Nanos asleep_since_ns_ = 0;
};

// docs/clocks.md states the bound that this test checks. If a thread runs just after the engine has
// looked at it, the thread's old stack is credited with all intervals until the next look except
// the last interval.
TEST_F(WallThreadsTest, ARunIsDiscoveredWithinAnEighthOfTheSleepBeforeIt) {
  FallAsleep();
  for (const int64_t sleep : {1, 7, 8, 15, 16, 100, 511, 512, 2000}) {
    bool looked = false;
    while (IntervalsAsleep() < sleep || !looked) looked = Tick();
    const int64_t slept = IntervalsAsleep();
    const int64_t gap = std::clamp<int64_t>(slept / 8, 1, 64);
    const Nanos verified_ns = g_now_ns;
    LetRun(kInterval / 4);
    FallAsleep();
    EXPECT_EQ((g_now_ns - verified_ns) / kInterval, gap + 1) << "after " << slept;
    EXPECT_EQ((LastCredited() - verified_ns) / kInterval, gap - 1) << "after " << slept;
    EXPECT_LE((gap - 1) * 8, slept);
  }
}

TEST_F(WallThreadsTest, SendsNoSignalToASleeperAndCreditsItsStackWithAllItsTime) {
  FallAsleep();
  const uint64_t signals = threads_->counts().signals;
  for (int i = 0; i < 5000; ++i) Tick();
  EXPECT_EQ(threads_->counts().signals, signals);
  threads_->Finish();
  EXPECT_EQ(LastCredited(), g_now_ns);
}

TEST_F(WallThreadsTest, SignalsASleeperAgainOnceTablesAreMade) {
  FallAsleep();
  const uint64_t signals = threads_->counts().signals;
  const auto signals_after_tables = [&] {
    NativeCode::OfProcess().Publish(nullptr, 0);
    for (int i = 0; i < 200; ++i) Tick();
    return threads_->counts().signals - signals;
  };
  EXPECT_EQ(signals_after_tables(), 0u) << "it lacks none";
  lacks_tables_ = true;
  LetRun(kInterval / 4);
  FallAsleep();
  const uint64_t before = threads_->counts().signals - signals;
  for (int i = 0; i < 200; ++i) Tick();
  EXPECT_EQ(threads_->counts().signals - signals, before) << "nothing was made";
  EXPECT_EQ(signals_after_tables(), before + 1);
  EXPECT_EQ(signals_after_tables(), before + 2);
  lacks_tables_ = false;
  EXPECT_EQ(signals_after_tables(), before + 3);
  EXPECT_EQ(signals_after_tables(), before + 3) << "the last walk found all";
}

TEST_F(WallThreadsTest, SignalsSleepersOnlyInsideWindows) {
  OutsideWindows(SampleKind::kWall) = 0;
  Sampling().window.Limit();
  for (int i = 0; i < 20; ++i) Tick();
  ASSERT_EQ(threads_->counts().signals, 0U);
  EXPECT_EQ(OutsideWindows(SampleKind::kWall).exchange(0), uint64_t{20 * kInterval});

  Sampling().window.Open([] { return g_now_ns; });
  FallAsleep();
  EXPECT_EQ(threads_->counts().signals, 1U);
  for (int i = 0; i < 10; ++i) Tick();
  Sampling().window.Close([] { return g_now_ns; });
  for (int i = 0; i < 10; ++i) Tick();
  LastCredited();
  threads_->CloseSpans();
  EXPECT_EQ(Credited(), uint64_t{11 * kInterval});
  EXPECT_EQ(OutsideWindows(SampleKind::kWall).exchange(0), uint64_t{10 * kInterval});
  Sampling().window.OpenPermanently();
}

}  // namespace
}  // namespace jprof
