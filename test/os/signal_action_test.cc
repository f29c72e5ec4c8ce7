#include "os/signal_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace jprof {
namespace {

using testing::HasSubstr;

constexpr int kSignal = SIGPROF;

int g_ours;
int g_theirs;

void Ours(int, siginfo_t*, void*) { ++g_ours; }
void Theirs(int, siginfo_t*, void*) { ++g_theirs; }

struct sigaction Current() {
  struct sigaction action = {};
  sigaction(kSignal, nullptr, &action);
  return action;
}

void Put(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(kSignal, &action, nullptr);
}

void Put(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(kSignal, &action, nullptr);
}

class SignalActionTest : public testing::Test {
 protected:
  SignalActionTest() {
    g_ours = 0;
    g_theirs = 0;
    Put(SIG_DFL);
  }
  ~SignalActionTest() override { Put(SIG_DFL); }

  Result<SignalAction> Install() { return SignalAction::Install(kSignal, Ours, {SIGVTALRM}); }
};

TEST_F(SignalActionTest, TheHandlerRunsFromInstallToUninstall) {
  Result<SignalAction> action = Install();
  ASSERT_TRUE(action.ok());
  raise(kSignal);
  EXPECT_EQ(g_ours, 1);
  action.value().Uninstall();
  EXPECT_EQ(Current().sa_handler, SIG_DFL);
  Put(SIG_IGN);
  raise(kSignal);
  EXPECT_EQ(g_ours, 1);
}

TEST_F(SignalActionTest, HasTheRequiredFlagsAndMask) {
  const Result<SignalAction> action = Install();
  const struct sigaction installed = Current();
  EXPECT_TRUE((installed.sa_flags & SA_RESTART) != 0);
  EXPECT_TRUE((installed.sa_flags & SA_ONSTACK) != 0);
  EXPECT_TRUE((installed.sa_flags & SA_SIGINFO) != 0);
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(sigismember(&installed.sa_mask, signal), signal == SIGVTALRM ? 1 : 0) << signal;
  }
}

TEST_F(SignalActionTest, RestoresAPreviousIgnore) {
  Put(SIG_IGN);
  { const Result<SignalAction> action = Install(); }
  EXPECT_EQ(Current().sa_handler, SIG_IGN);
}

TEST_F(SignalActionTest, RefusesASignalThatHasAHandler) {
  Put(Theirs);
  const Result<SignalAction> action = Install();
  ASSERT_FALSE(action.ok());
  EXPECT_THAT(action.error().message(), HasSubstr("SIGPROF is handled already, by "));
  raise(kSignal);
  EXPECT_EQ(g_theirs, 1);
  EXPECT_EQ(g_ours, 0);
}

TEST_F(SignalActionTest, LeavesAloneAHandlerThatReplacedOurs) {
  Result<SignalAction> action = Install();
  Put(Theirs);
  action.value().Uninstall();
  raise(kSignal);
  EXPECT_EQ(g_theirs, 1);
  EXPECT_EQ(g_ours, 0);
}

TEST_F(SignalActionTest, ReinstallsAndUninstallsAHandlerThatWasRestored) {
  Result<SignalAction> first = Install();
  const struct sigaction ours = Current();
  Put(Theirs);
  first.value().Uninstall();
  sigaction(kSignal, &ours, nullptr);  // another owner restores the handler that it had found: ours
  Result<SignalAction> second = Install();
  ASSERT_TRUE(second.ok());
  raise(kSignal);
  EXPECT_EQ(g_ours, 1);
  second.value().Uninstall();
  EXPECT_EQ(Current().sa_handler, SIG_DFL) << "ours must not stay for ever";
}

TEST_F(SignalActionTest, AMovedActionIsUninstalledOnce) {
  SignalAction kept;
  {
    Result<SignalAction> action = Install();
    kept = std::move(action).value();
  }
  raise(kSignal);
  EXPECT_EQ(g_ours, 1);
  SignalAction last(std::move(kept));
  kept.Uninstall();
  raise(kSignal);
  EXPECT_EQ(g_ours, 2);
  last.Uninstall();
  EXPECT_EQ(Current().sa_handler, SIG_DFL);
}

TEST_F(SignalActionTest, AnInvalidSignalIsAnErrorThatNamesTheCall) {
  const Result<SignalAction> action = SignalAction::Install(SIGKILL, Ours, {});
  ASSERT_FALSE(action.ok());
  EXPECT_THAT(action.error().message(), HasSubstr("cannot sigaction "));
}

// Runs a child that blocks the signal, raises it, calls `in_between`, and unblocks the signal.
// Returns the child's wait status.
template <typename InBetween>
int StatusWithPendingSignal(InBetween&& in_between) {
  const pid_t child = fork();
  if (child == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, kSignal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    raise(kSignal);
    in_between();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    _exit(g_ours);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(SignalActionTest, ASignalPendingAtUninstallDoesNotEndTheProcess) {
  Result<SignalAction> action = Install();
  const int status = StatusWithPendingSignal([&] { action.value().Uninstall(); });
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  // Restoring SIG_DFL directly would end the process.
  const int naive = StatusWithPendingSignal([] { Put(SIG_DFL); });
  EXPECT_TRUE(WIFSIGNALED(naive) && WTERMSIG(naive) == kSignal);
}

}  // namespace
}  // namespace jprof
