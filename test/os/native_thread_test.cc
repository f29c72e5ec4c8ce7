#include "os/native_thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <utility>

#include "os/task_list.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

// False for the signals that no thread can block, and for the two that glibc reserves.
bool CanBeBlocked(int signal) {
  return signal != SIGKILL && signal != SIGSTOP && signal != 32 && signal != 33;
}

TEST(NativeThreadTest, TheBodyRunsOnceOnANamedThreadOfItsOwn) {
  std::atomic<Tid> ran_on{Tid{0}};
  std::atomic<bool> stop{false};
  Result<NativeThread> thread = NativeThread::Start("jprof-fifteen-b", [&] {
    ran_on = CurrentTid();
    while (!stop.load()) sched_yield();
  });
  ASSERT_TRUE(thread.ok());
  const Tid tid = thread.value().tid();
  EXPECT_NE(tid, CurrentTid());
  EXPECT_EQ(TaskName(tid), "jprof-fifteen-b");
  stop = true;
  thread.value().Join();
  EXPECT_EQ(ran_on.load(), tid);
  EXPECT_EQ(thread.value().tid(), Tid{0});
  thread.value().Join();
}

TEST(NativeThreadTest, BlocksAllSignalsAndKeepsTheCreatorsMask) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t inside;
  sigemptyset(&inside);
  Result<NativeThread> thread =
      NativeThread::Start("masked", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  thread.value().Join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_TRUE(!CanBeBlocked(signal) || sigismember(&inside, signal) == 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(NativeThreadTest, DestructionAndAssignmentWaitForTheBody) {
  std::atomic<int> finished{0};
  const auto body = [&] {
    for (int i = 0; i < 1000; ++i) sched_yield();
    finished.fetch_add(1);
  };
  {
    Result<NativeThread> thread = NativeThread::Start("first", body);
    thread.value() = NativeThread();
    EXPECT_EQ(finished.load(), 1);
    thread = NativeThread::Start("second", body);
  }
  EXPECT_EQ(finished.load(), 2);
}

TEST(NativeThreadTest, AMovedThreadIsJoinedOnce) {
  std::atomic<bool> ran{false};
  Result<NativeThread> started = NativeThread::Start("moved", [&] { ran = true; });
  NativeThread first = std::move(started).value();
  const Tid tid = first.tid();
  NativeThread second = std::move(first);
  EXPECT_EQ(second.tid(), tid);
  second.Join();
  EXPECT_TRUE(ran.load());
}

}  // namespace
}  // namespace jprof
