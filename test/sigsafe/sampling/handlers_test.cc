#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "support/sanitizer.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::IntervalsOf;
using test::SamplingWorld;

class HandlersTest : public testing::Test {
 protected:
  HandlersTest() {
    SetCurrentThread(nullptr);
    thread_ = world_.RegisterCurrentThread();
    world_.Activate();
  }
  ~HandlersTest() override { SetCurrentThread(nullptr); }

  siginfo_t Info(int code, int overrun = 0) const {
    siginfo_t info{};
    info.si_code = code;
    info.si_value = MakeCookie(thread_->index);
    if (code == SI_TIMER) info.si_overrun = overrun;
    return info;
  }

  void Cpu(siginfo_t info) {
    InSignal([&](void* ucontext) { CpuHandler(SIGPROF, &info, ucontext); });
  }
  void Wall(siginfo_t info) {
    InSignal([&](void* ucontext) { WallHandler(SIGVTALRM, &info, ucontext); });
  }

  SamplingWorld world_;
  ThreadSlot* thread_ = nullptr;
};

TEST_F(HandlersTest, ATimerSignalStandsForOneIntervalAndItsOverruns) {
  Cpu(Info(SI_TIMER));
  Cpu(Info(SI_TIMER, 1));
  Cpu(Info(SI_TIMER, 41));
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(IntervalsOf(samples[0]), 1u);
  EXPECT_EQ(IntervalsOf(samples[1]), 2u);
  EXPECT_EQ(IntervalsOf(samples[2]), 42u);
  EXPECT_EQ(samples[0].kind, SampleKind::kCpu);
}

TEST_F(HandlersTest, AnImpossibleOverrunCountsAsNone) {
  Cpu(Info(SI_TIMER, -1));
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(IntervalsOf(samples[0]), 1u);
}

TEST_F(HandlersTest, DoesNotWalkAThreadWithAPendingFaultSignal) {
  sigset_t segv;
  sigset_t before;
  sigemptyset(&segv);
  sigaddset(&segv, SIGSEGV);
  pthread_sigmask(SIG_BLOCK, &segv, &before);
  pthread_kill(pthread_self(), SIGSEGV);
  Cpu(Info(SI_TIMER));
  int taken = 0;
  sigwait(&segv, &taken);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(world_.walker().calls, 0u);
}

TEST_F(HandlersTest, AForeignSignalIsDropped) {
  siginfo_t foreign = Info(SI_TIMER);
  foreign.si_value.sival_ptr = this;
  Cpu(foreign);
  Cpu(Info(SI_QUEUE));
  Cpu(Info(SI_USER));
  foreign = Info(SI_QUEUE);
  foreign.si_value.sival_int = 3;
  foreign.si_value.sival_ptr = nullptr;
  Wall(foreign);
  Wall(Info(SI_TIMER));
  Wall(Info(SI_TKILL));
  EXPECT_TRUE(world_.Drain().empty());
  EXPECT_EQ(world_.walker().calls, 0u);
}

// The kernel delivers a signal without its value if the user's queue of signals is full.
TEST_F(HandlersTest, AcceptsASignalWithoutItsValueIfTheWallEngineAwaitsAnAnswer) {
  siginfo_t bare{};
  bare.si_code = SI_USER;
  thread_->wall_answer_ns = kNotSignalled;
  Wall(bare);
  EXPECT_TRUE(world_.Drain().empty()) << "the engine has not signalled the thread";
  thread_->wall_answer_ns = 0;
  bare.si_pid = getpid();
  Wall(bare);
  EXPECT_TRUE(world_.Drain().empty()) << "kill(2) has sent the signal";
  bare.si_pid = 0;
  SetCurrentThread(nullptr);  // the thread must be found without a cookie
  while (MonotonicNanos() / Sampling().IntervalOf(SampleKind::kWall) ==
         thread_->claimed_ns / Sampling().IntervalOf(SampleKind::kWall)) {
  }
  Wall(bare);
  EXPECT_EQ(world_.Drain().size(), 1u);
  Wall(bare);
  EXPECT_TRUE(world_.Drain().empty()) << "the thread has answered already";
}

TEST_F(HandlersTest, DropsEverySignalInAForkedChild) {
  const ForkMark copied{false};
  SetForkMark(&copied);
  Cpu(Info(SI_TIMER));
  Wall(Info(SI_QUEUE));
  SetForkMark(nullptr);
  EXPECT_TRUE(world_.Drain().empty());
  EXPECT_EQ(world_.walker().calls, 0u);
}

TEST_F(HandlersTest, KeepsErrnoWhenTheWalkChangesIt) {
  world_.walker().during_walk = [] { errno = ENOMEM; };
  Cpu(Info(SI_TIMER));
  Wall(Info(SI_QUEUE));
  EXPECT_EQ(world_.walker().calls, 2u);
}

TEST_F(HandlersTest, DropsOurSignalsWhileNoSamplerRuns) {
  world_.Deactivate();
  Cpu(Info(SI_TIMER));
  Wall(Info(SI_QUEUE));
  EXPECT_TRUE(world_.Drain().empty());
}

TEST_F(HandlersTest, AcceptsPerfSignalsOfOurDescriptorsOnly) {
  constexpr int kOurs = 4711;
  SetDescriptorOwner(kOurs, thread_->index);
  for (const int fd : {kOurs, kOurs + 1, -1, kMaxOwnedDescriptor}) {
    siginfo_t info{};
    info.si_code = POLL_IN;
    info.si_fd = fd;
    Cpu(info);
  }
  EXPECT_EQ(world_.Drain().size(), 1u);
  ClearDescriptorOwner(kOurs);
  siginfo_t late{};
  late.si_code = POLL_IN;
  late.si_fd = kOurs;
  Cpu(late);
  EXPECT_TRUE(world_.Drain().empty());
}

TEST_F(HandlersTest, AcceptsTheSignalOfTheProcessTimerOnlyWhileOursRuns) {
  siginfo_t kernel{};
  kernel.si_code = SI_KERNEL;
  thread_->cpu_due_ns = 1;
  Cpu(kernel);
  EXPECT_TRUE(world_.Drain().empty());
  thread_->cpu_due_ns = 0;
  ProcessTimerIsOurs().store(true);
  Cpu(kernel);
  EXPECT_TRUE(world_.Drain().empty()) << "the thread's clock has no cuts";
  EXPECT_EQ(world_.walker().calls, 0u);
  thread_->cpu_due_ns = 1;
  SetCurrentThread(nullptr);  // the thread must be found without a cookie
  Cpu(kernel);
  Cpu(kernel);
  EXPECT_GE(world_.Drain().size(), 1u);
  EXPECT_EQ(CurrentThread(), thread_);
  ProcessTimerIsOurs().store(false);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

// Sends the wall signal as the engine does.
void QueueWallSignal(Tid tid, uint32_t slot_index) {
  siginfo_t info{};
  info.si_signo = SIGVTALRM;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = MakeCookie(slot_index);
  ASSERT_EQ(syscall(SYS_rt_tgsigqueueinfo, info.si_pid, Value(tid), SIGVTALRM, &info), 0);
}

TEST_F(HandlersTest, WallSignalsDistinguishSleepingFromRunning) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later, elsewhere";
  struct sigaction action = {};
  struct sigaction previous;
  action.sa_sigaction = WallHandler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGVTALRM, &action, &previous);
  for (const bool sleep : {true, false}) {
    std::atomic<ThreadSlot*> slot{nullptr};
    std::atomic<bool> stop{false};
    std::thread target([&] {
      slot = world_.RegisterCurrentThread();
      while (!stop.load(std::memory_order_relaxed)) {
        if (sleep) usleep(200'000);  // sleeps until the next signal
      }
    });
    while (slot.load() == nullptr) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) {
      usleep(5000);
      const uint64_t before = slot.load()->handler_ns.load();
      QueueWallSignal(slot.load()->tid, slot.load()->index);
      // Waits for the handler: the kernel merges a signal with one that is still pending.
      while (slot.load()->handler_ns.load() == before) std::this_thread::yield();
    }
    stop = true;
    target.join();
    int sleeping = 0;
    int running = 0;
    for (const Sample& sample : world_.Drain()) {
      (sample.Payload<WallPayload>().activity == ThreadActivity::kSleeping ? sleeping : running) +=
          1;
    }
    // On a busy machine a signal might find a sleeper on its way back to sleep.
    EXPECT_GE(sleep ? sleeping : running, 3) << (sleep ? "asleep" : "running");
    EXPECT_GT(sleep ? sleeping : running, 2 * (sleep ? running : sleeping));
  }
  sigaction(SIGVTALRM, &previous, nullptr);
}

}  // namespace
}  // namespace jprof
