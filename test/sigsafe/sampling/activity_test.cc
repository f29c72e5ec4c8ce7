#include "sigsafe/sampling/activity.h"

#include <gtest/gtest.h>

#include "sigsafe/os/clock.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr Nanos kMilli = 1'000'000;

// The fixture has a JavaThread with its JNIEnv at offset 8.
class ActivityTest : public testing::Test {
 protected:
  ActivityTest() {
    layout_.thread_osthread = {16, 8, true};
    layout_.osthread_state = {4, 4, true};
    layout_.env_offset = 8;
    java_thread_[2] = reinterpret_cast<uint64_t>(os_thread_);
    thread_.jni_env = &java_thread_[1];
  }

  ThreadActivity RefinedInSignal(ThreadActivity activity) {
    ThreadActivity refined = ThreadActivity::kDefault;
    InSignal([&] { refined = Refined(activity, thread_, vm_, faults_); });
    return refined;
  }

  // Pretends that the engine read the thread's CPU clock `ago_ns` ago, and that the thread has used
  // `used_ns` of CPU time since.
  void LookedAt(Nanos ago_ns, Nanos used_ns) {
    thread_.wall_look_ns = MonotonicNanos() - ago_ns;
    thread_.wall_look_cpu_ns = ThreadCpuNanos() - used_ns;
  }

  uint64_t java_thread_[4] = {};
  int32_t os_thread_[4] = {};
  HotspotLayout layout_{};
  const HotspotLayout* vm_ = &layout_;
  LoadFaults faults_ = LoadFaults::kFatal;
  ThreadSlot thread_{};
};

TEST_F(ActivityTest, TheVmKnowsWhyAThreadWaits) {
  const std::pair<int32_t, ThreadActivity> states[] = {
      {3, ThreadActivity::kBlockedOnMonitor}, {4, ThreadActivity::kParked},
      {5, ThreadActivity::kInObjectWait},     {7, ThreadActivity::kSleeping},
      {2, ThreadActivity::kSleeping},         {4711, ThreadActivity::kSleeping}};
  for (const auto& [state, activity] : states) {
    os_thread_[1] = state;
    faults_ = LoadFaults::kCaught;
    EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), activity) << state;
    faults_ = LoadFaults::kFatal;
    EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), activity) << state;
    EXPECT_EQ(RefinedInSignal(ThreadActivity::kInIo), ThreadActivity::kInIo) << state;
  }
}

TEST_F(ActivityTest, KeepsTheActivityIfTheVmIsUnreadable) {
  os_thread_[1] = 5;
  java_thread_[2] = 8;
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), ThreadActivity::kSleeping);
  java_thread_[2] = reinterpret_cast<uint64_t>(os_thread_);
  layout_.osthread_state = {};
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), ThreadActivity::kSleeping);
  vm_ = nullptr;
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), ThreadActivity::kSleeping);
  thread_.jni_env = nullptr;
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kSleeping), ThreadActivity::kSleeping);
}

TEST_F(ActivityTest, AThreadThatUsedLittleCpuTimeWaitedForACpu) {
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kRunning), ThreadActivity::kRunning)
      << "the engine has not read the clock yet";
  LookedAt(1000 * kMilli, kMilli);
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kRunning), ThreadActivity::kWaitingForCpu);
  LookedAt(1000 * kMilli, 990 * kMilli);
  EXPECT_EQ(RefinedInSignal(ThreadActivity::kRunning), ThreadActivity::kRunning);
}

TEST_F(ActivityTest, AnInterruptedComputationRuns) {
  ThreadActivity found = ThreadActivity::kDefault;
  // The signal is raised by a system call, which has returned before the handler runs.
  InSignal([&](void* ucontext) { found = ActivityAt(static_cast<const ucontext_t*>(ucontext)); });
  EXPECT_EQ(found, ThreadActivity::kRunning);
}

}  // namespace
}  // namespace jprof
