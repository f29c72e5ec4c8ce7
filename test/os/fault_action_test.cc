#include "os/fault_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "sigsafe/os/fault_handler.h"
#include "sigsafe/os/guarded_load.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using testing::HasSubstr;

std::atomic<int> g_base_calls;

// The handler that is installed first. It handles every fault, as the JVM's handler does.
void Base(int, siginfo_t*, void*) { g_base_calls.fetch_add(1); }

struct sigaction Action(FaultHandler handler, unsigned flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = static_cast<int>(SA_SIGINFO | flags);
  return action;
}

FaultHandler CurrentFaultHandler() {
  struct sigaction action = {};
  sigaction(SIGSEGV, nullptr, &action);
  return action.sa_sigaction;
}

// Stands for a library that installs its handler in front of the present handler, and whose handler
// calls the handler that it has replaced.
template <int number>
class Library {
 public:
  static void InstallInFront() {
    auto* const found = new struct sigaction;  // never freed: a thread might be calling the handler
    sigaction(SIGSEGV, nullptr, found);
    found_.store(found);
    const struct sigaction own = Action(Handle);
    sigaction(SIGSEGV, &own, nullptr);
  }
  static void Uninstall() { sigaction(SIGSEGV, found_.load(), nullptr); }

  static void Handle(int signal, siginfo_t* info, void* ucontext) {
    calls.fetch_add(1);
    found_.load()->sa_sigaction(signal, info, ucontext);
  }

  static inline std::atomic<int> calls{0};

 private:
  static inline std::atomic<struct sigaction*> found_{nullptr};
};

// Runs each test in a process of its own, because a place (fault_handler.h) that is taken stays
// taken.
class FaultActionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer answers sigaction by a table of its own";
  }

  static void InChild(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      const struct sigaction base = Action(Base);
      for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &base, nullptr);
      alarm(60);
      body();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  static FaultAction Install() {
    Result<FaultAction> installed = FaultAction::Install();
    EXPECT_TRUE(installed.ok()) << installed.error().message();
    return std::move(installed).value();
  }

  // Expects that a fault that is not ours arrives once at Base, and at most once at the library's
  // handler.
  static void ExpectFaultsArriveOnce() {
    const int libraries_before = Library<1>::calls;
    const int before = g_base_calls;
    raise(SIGSEGV);
    EXPECT_EQ(g_base_calls, before + 1);
    EXPECT_LE(Library<1>::calls, libraries_before + 1);
  }

  static void ExpectLoadIsGuarded() {
    uint64_t value = 0;
    EXPECT_FALSE(GuardedLoad(8, &value));
  }

  static void ExpectLoadsAreGuarded() {
    const int libraries_before = Library<1>::calls;
    const int before = g_base_calls;
    ExpectLoadIsGuarded();
    EXPECT_EQ(g_base_calls, before);
    EXPECT_EQ(Library<1>::calls, libraries_before);
  }
};

TEST_F(FaultActionTest, ALibraryInFrontMakesNoCircle) {
  InChild([] {
    FaultAction first = Install();
    Library<1>::InstallInFront();
    first.Uninstall();
    EXPECT_EQ(CurrentFaultHandler(), Library<1>::Handle);
    FaultAction second = Install();
    raise(SIGSEGV);
    EXPECT_EQ(Library<1>::calls, 1);
    EXPECT_EQ(g_base_calls, 1);
    ExpectLoadsAreGuarded();
    second.Uninstall();
    EXPECT_EQ(CurrentFaultHandler(), Library<1>::Handle);
    ExpectFaultsArriveOnce();
  });
}

TEST_F(FaultActionTest, ALibraryThatUninstallsRemovesOurHandlerInFront) {
  InChild([] {
    FaultAction first = Install();
    Library<1>::InstallInFront();
    first.Uninstall();
    FaultAction second = Install();
    Library<1>::Uninstall();
    ExpectFaultsArriveOnce();
    EXPECT_EQ(Library<1>::calls, 0);
    ExpectLoadsAreGuarded();
    second.Uninstall();
    EXPECT_EQ(CurrentFaultHandler(), Base) << "nothing of ours stays";
  });
}

TEST_F(FaultActionTest, TheNextRecordingUsesOurHandlerThatALibraryRestored) {
  InChild([] {
    FaultAction first = Install();
    Library<1>::InstallInFront();
    first.Uninstall();
    Library<1>::Uninstall();
    EXPECT_NE(CurrentFaultHandler(), Base);
    FaultAction second = Install();
    ExpectLoadsAreGuarded();
    second.Uninstall();
    EXPECT_EQ(CurrentFaultHandler(), Base);
  });
}

TEST_F(FaultActionTest, ALibraryInFrontTwiceIsCalledTwice) {
  InChild([] {
    FaultAction first = Install();
    Library<1>::InstallInFront();
    first.Uninstall();
    FaultAction second = Install();
    // The library's handler now calls ours, which calls the library's.
    Library<1>::InstallInFront();
    for (int fault = 1; fault <= 3; ++fault) {
      raise(SIGSEGV);
      EXPECT_EQ(g_base_calls, fault);
      EXPECT_EQ(Library<1>::calls, 2 * fault);
    }
  });
}

int Hook(int, siginfo_t*, void*, int) {
  g_base_calls.fetch_add(1);
  return 1;
}

TEST_F(FaultActionTest, AsksTheJvmItselfIfALibraryComesInFrontAgain) {
  InChild([] {
    SetJvmFaultHook(Hook);
    Library<1>::InstallInFront();
    const FaultAction action = Install();
    Library<1>::InstallInFront();  // the library no longer knows the first handler
    raise(SIGSEGV);
    EXPECT_EQ(g_base_calls, 1);
    EXPECT_EQ(Library<1>::calls, 2);
  });
}

TEST_F(FaultActionTest, RepeatedRecordingsWithOneLibraryTakeTwoPlaces) {
  InChild([] {
    for (size_t round = 0; round < 3 * kFaultPlaces; ++round) {
      FaultAction action = Install();
      if (round == 0) Library<1>::InstallInFront();
      ExpectFaultsArriveOnce();
      action.Uninstall();
    }
    EXPECT_NE(ForwardedAction(SIGSEGV, 1), nullptr);
    EXPECT_EQ(ForwardedAction(SIGSEGV, 2), nullptr);
  });
}

template <int... numbers>
std::array<void (*)(), sizeof...(numbers)> InstallersOf(std::integer_sequence<int, numbers...>) {
  return {Library<numbers>::InstallInFront...};
}

TEST_F(FaultActionTest, InstallsNothingWithoutAFreePlace) {
  InChild([] {
    const auto installers = InstallersOf(std::make_integer_sequence<int, kFaultPlaces>());
    for (void (*const install)() : installers) {
      FaultAction action = Install();
      install();
      ExpectFaultsArriveOnce();
    }
    const FaultHandler last = CurrentFaultHandler();
    const Result<FaultAction> refused = FaultAction::Install();
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("16 handlers have come in front of ours"));
    EXPECT_EQ(CurrentFaultHandler(), last);
    ExpectFaultsArriveOnce();
  });
}

TEST_F(FaultActionTest, InstallsNothingOverAHandlerForOneSignal) {
  InChild([] {
    const struct sigaction once = Action(Base, SA_RESETHAND);
    sigaction(SIGSEGV, &once, nullptr);
    const Result<FaultAction> refused = FaultAction::Install();
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("for one signal only"));
    EXPECT_EQ(CurrentFaultHandler(), Base);
  });
}

sigjmp_buf g_out;
int g_jumps = 0;

void JumpOut(int, siginfo_t*, void*) {
  ++g_jumps;
  siglongjmp(g_out, 1);
}

void CallAndJumpOut(siginfo_t* info) {
  ucontext_t context = {};
  if (sigsetjmp(g_out, 1) == 0) FaultHandlerAt(1)(SIGSEGV, info, &context);
}

// Kernels before 4.16 do not clear siginfo, so it can contain fields of an earlier fault.
TEST_F(FaultActionTest, ForwardsAFaultAfterAHandlerThatJumpedOut) {
  InChild([] {
    TakeFaultPlace(SIGSEGV, 0, Action(Base));
    TakeFaultPlace(SIGSEGV, 1, Action(JumpOut));
    siginfo_t info = {};
    for (int fault = 1; fault <= 3; ++fault) {
      CallAndJumpOut(&info);
      EXPECT_EQ(g_jumps, fault);
    }
    EXPECT_EQ(g_base_calls, 0);
  });
}

TEST_F(FaultActionTest, FaultsArriveWhileHandlersAreInstalledAndUninstalled) {
  InChild([] {
    constexpr int kThreads = 2;
    constexpr int kFaults = 10'000;
    std::atomic<bool> stop{false};
    std::atomic<int> faults{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        while (!stop.load()) {
          raise(SIGSEGV);
          faults.fetch_add(1);
        }
      });
    }
    for (int round = 0; faults < kFaults; ++round) {
      FaultAction first = Install();
      ExpectLoadIsGuarded();
      Library<1>::InstallInFront();
      first.Uninstall();
      FaultAction second = Install();
      if (round % 2 == 0) Library<2>::InstallInFront();
      ExpectLoadIsGuarded();
      if (round % 2 == 0) Library<2>::Uninstall();
      Library<1>::Uninstall();
      second.Uninstall();
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(g_base_calls, faults);
    EXPECT_EQ(CurrentFaultHandler(), Base);
  });
}

}  // namespace
}  // namespace jprof
