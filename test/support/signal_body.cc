#include "support/signal_body.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

#include "support/forbidden_calls.h"
#include "support/sanitizer.h"

namespace jprof::test {
namespace {

constexpr int kSignal = SIGUSR2;
constexpr int kErrnoMarker = 4711;
constexpr size_t kGuardBytes = 64 * 1024;
// Instrumented functions have frames several times as large as those of a release.
constexpr size_t kStackBytes = kUnderSanitizer ? 256 * 1024 : 16 * 1024;

// The alternate stack of one thread. The inaccessible page is below it because the stack grows
// downwards.
class AlternateStack {
 public:
  AlternateStack()
      : memory_(static_cast<char*>(mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(memory_, kGuardBytes, PROT_NONE);
  }
  ~AlternateStack() { munmap(memory_, kGuardBytes + kStackBytes); }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

  stack_t AsStack() const { return {memory_ + kGuardBytes, 0, kStackBytes}; }
  bool Contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    const auto begin = reinterpret_cast<uintptr_t>(memory_ + kGuardBytes);
    return at >= begin && at < begin + kStackBytes;
  }

 private:
  char* const memory_;
};

struct Call {
  SignalBody body;
  void* argument;
  const AlternateStack* stack;
  SignalBodyReport report;
};

constinit thread_local Call* t_call = nullptr;

void Handler(int, siginfo_t*, void* ucontext) {
  Call& call = *t_call;
  const ForbiddenCalls forbidden;
  errno = kErrnoMarker;
  call.body(call.argument, ucontext);
  call.report.errno_kept = errno == kErrnoMarker;
  call.report.forbidden_call = forbidden.First();
  const char local = 0;
  call.report.on_alternate_stack = call.stack->Contains(&local);
}

void InstallOnce() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = Handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    return sigaction(kSignal, &action, nullptr) == 0;
  }();
  ASSERT_TRUE(installed);
}

}  // namespace

SignalBodyReport RunInSignal(SignalBody body, void* argument) {
  InstallOnce();
  thread_local const AlternateStack stack;
  const stack_t ours = stack.AsStack();
  stack_t previous;
  if (sigaltstack(&ours, &previous) != 0) ADD_FAILURE() << "sigaltstack: " << errno;
  Call call{body, argument, &stack, {}};
  t_call = &call;
  const int saved_errno = errno;
  pthread_kill(pthread_self(), kSignal);
  errno = saved_errno;
  t_call = nullptr;
  sigaltstack(&previous, nullptr);
  return call.report;
}

void ExpectSound(const SignalBodyReport& report) {
  EXPECT_EQ(report.forbidden_call, nullptr) << "called by the body: " << report.forbidden_call;
  EXPECT_TRUE(report.errno_kept);
  // AddressSanitizer can keep local variables outside of the stack (detect_stack_use_after_return).
  EXPECT_TRUE(kUnderAsan || report.on_alternate_stack);
}

}  // namespace jprof::test
