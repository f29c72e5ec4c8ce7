#include "threads/stack_asker.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <thread>

#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::SamplingWorld;
using Question = StackAsker::Question;

// A thread with a slot. It runs `body` until the object is destroyed.
class AskedThread {
 public:
  template <typename Body>
  AskedThread(SamplingWorld& world, Body body)
      : thread_([this, &world, body] {
          SetCurrentThread(nullptr);
          slot_.store(world.RegisterCurrentThread());
          while (!is_over_.load()) body();
          SetCurrentThread(nullptr);
        }) {
    while (slot_.load() == nullptr) std::this_thread::yield();
  }
  ~AskedThread() { End(); }

  void End() {
    is_over_.store(true);
    if (thread_.joinable()) thread_.join();
  }
  Question NewQuestion() { return {.thread = slot_.load(), .serial = slot_.load()->serial.load()}; }
  Tid tid() const { return slot_.load()->tid.load(); }

 private:
  std::atomic<ThreadSlot*> slot_{nullptr};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

void Sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

class StackAskerTest : public testing::Test {
 protected:
  StackAskerTest() {
    SetCurrentThread(nullptr);
    world_.walker().answer = 3;
    world_.Activate();
    Result<std::unique_ptr<StackAsker>> asker = StackAsker::Start(0);
    EXPECT_TRUE(asker);
    asker_ = std::move(asker).value();
  }
  ~StackAskerTest() override { asker_->Stop(); }

  // Asks until an answer comes, but for at most ten seconds.
  void Ask(Question& question) {
    asker_->Send(question);
    const Nanos end_ns = MonotonicNanos() + 10 * kNanosPerSecond;
    while (question.is_open && MonotonicNanos() < end_ns) {
      asker_->Collect({&question, 1});
      if (question.is_open) std::this_thread::yield();
    }
  }
  // Asks, and returns the reason why there is no answer after some milliseconds.
  std::optional<NoAnswer> AskInVain(Question& question) {
    asker_->Send(question);
    asker_->Collect({&question, 1});
    if (question.is_open) asker_->GiveUp(question);
    return question.why;
  }

  SamplingWorld world_;
  std::unique_ptr<StackAsker> asker_;
};

TEST_F(StackAskerTest, RunningAndSleepingThreadsAnswerWithTheirStacks) {
  AskedThread running(world_, [] {});
  AskedThread sleeping(world_, Sleep);
  for (AskedThread* thread : {&running, &sleeping}) {
    Question question = thread->NewQuestion();
    Ask(question);
    ASSERT_TRUE(question.answer);
    EXPECT_NE(world_.table().Find(question.answer->stack.trace), nullptr);
    EXPECT_EQ(question.answer->serial, question.serial);
  }
  EXPECT_EQ(asker_->answered(), 2u);
  EXPECT_GT(asker_->longest_ns(), 0);
}

TEST_F(StackAskerTest, AThreadThatHasEndedIsNotAsked) {
  AskedThread thread(world_, Sleep);
  Question question = thread.NewQuestion();
  thread.End();
  EXPECT_EQ(AskInVain(question), NoAnswer::kEnded);
  question = thread.NewQuestion();
  ++question.serial;
  EXPECT_EQ(AskInVain(question), NoAnswer::kEnded);
  EXPECT_EQ(asker_->Unanswered(NoAnswer::kEnded), 2u);
}

TEST_F(StackAskerTest, AThreadThatBlocksTheSignalIsAskedOnceUntilItUnblocksIt) {
  std::atomic<bool> blocks{true}, is_blocking{false};
  const int signal = asker_->signal();
  AskedThread thread(world_, [&blocks, &is_blocking, signal] {
    const bool is_to_block = blocks.load();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(is_to_block ? SIG_BLOCK : SIG_UNBLOCK, &set, nullptr);
    is_blocking.store(is_to_block);
  });
  while (!is_blocking.load()) std::this_thread::yield();
  Question question = thread.NewQuestion();
  EXPECT_EQ(AskInVain(question), NoAnswer::kBlocked);
  Question again = thread.NewQuestion();
  EXPECT_EQ(AskInVain(again), NoAnswer::kPending);
  blocks.store(false);
  while (is_blocking.load()) std::this_thread::yield();
  Question last = thread.NewQuestion();
  Ask(last);
  EXPECT_TRUE(last.answer);
}

// The thread waits in the kernel, without being interruptible, until the child of vfork has ended.
TEST_F(StackAskerTest, AThreadInAnUninterruptibleWaitAnswersAfterIt) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer replaces vfork by fork";
  AskedThread thread(world_, [] {
    const pid_t child = vfork();
    if (child == 0) {
      usleep(300'000);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
  });
  while (TaskStat(thread.tid()).find(") D") == std::string::npos) std::this_thread::yield();
  Question question = thread.NewQuestion();
  EXPECT_EQ(AskInVain(question), NoAnswer::kUninterruptible);
  question = thread.NewQuestion();
  while (StackRequests::OfProcess().Owes(thread.tid())) std::this_thread::yield();
  Ask(question);
  EXPECT_TRUE(question.answer);
}

TEST_F(StackAskerTest, AThreadThatADebuggerHasStoppedAnswersLater) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  AskedThread thread(world_, [] {});
  const int tid = Value(thread.tid());
  int is_stopped[2], may_end[2];
  ASSERT_EQ(pipe(is_stopped), 0);
  ASSERT_EQ(pipe(may_end), 0);
  const pid_t debugger = fork();
  if (debugger == 0) {
    char byte = 0;
    const bool is_traced = ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) == 0 &&
                           ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) == 0 &&
                           waitpid(tid, nullptr, __WALL) == tid;
    if (!is_traced || write(is_stopped[1], "1", 1) != 1) _exit(1);
    if (read(may_end[0], &byte, 1) != 1) _exit(2);
    ptrace(PTRACE_DETACH, tid, nullptr, nullptr);
    _exit(0);
  }
  close(is_stopped[1]);
  char byte = 0;
  ASSERT_EQ(read(is_stopped[0], &byte, 1), 1) << "the thread cannot be traced";
  Question question = thread.NewQuestion();
  asker_->Send(question);
  asker_->Collect({&question, 1});
  ASSERT_TRUE(question.is_open);
  asker_->GiveUp(question);
  EXPECT_EQ(question.why, NoAnswer::kStopped);
  ASSERT_EQ(write(may_end[1], "1", 1), 1);
  int status = 0;
  waitpid(debugger, &status, 0);
  EXPECT_EQ(status, 0);
  while (StackRequests::OfProcess().Owes(thread.tid())) std::this_thread::yield();
  Question last = thread.NewQuestion();
  Ask(last);
  EXPECT_TRUE(last.answer);
  for (const int fd : {is_stopped[0], may_end[0], may_end[1]}) close(fd);
}

TEST_F(StackAskerTest, NoSignalIsTakenThatAnEngineMightNeed) {
  EXPECT_NE(asker_->signal(), SIGPROF);
  EXPECT_NE(asker_->signal(), SIGVTALRM);
  const int first = asker_->signal();
  asker_->Stop();
  Result<std::unique_ptr<StackAsker>> other = StackAsker::Start(first);
  ASSERT_TRUE(other);
  EXPECT_NE(other.value()->signal(), first);
  other.value()->Stop();
}

}  // namespace
}  // namespace jprof
