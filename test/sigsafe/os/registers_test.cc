// Tests, with real signals, whether the interrupted thread was blocked in a system call.
#include "sigsafe/os/registers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "sigsafe/os/cancellable_call.h"
#include "sigsafe/os/thread_id.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

std::atomic<int> g_blocked;
std::atomic<int> g_running;
std::atomic<long> g_number;  // number of the last blocked system call

void OnSignal(int, siginfo_t*, void* ucontext) {
  const auto* context = static_cast<ucontext_t*>(ucontext);
  const bool blocked = WasBlockedInSyscall(context);
  if (blocked) g_number = BlockedSyscallNumber(context);
  if (blocked && g_number < 0) g_number = CancellableCallNumber(context);
  (blocked ? g_blocked : g_running).fetch_add(1);
}

// Calls ppoll, and loads its number right before the `syscall` instruction, as the C library's
// wrappers do.
void WaitInPpoll(pollfd* wait) {
#ifdef __x86_64__
  long result;
  register long no_mask asm("r10") = 0;
  register long mask_size asm("r8") = 8;
  asm volatile("movl %1, %%eax\n\tsyscall"
               : "=&a"(result)
               : "i"(SYS_ppoll), "D"(wait), "S"(1L), "d"(0L), "r"(no_mask), "r"(mask_size)
               : "rcx", "r11", "memory");
#else
  RawSyscall(SYS_ppoll, RawArgument(wait), 1, 0, 0, 8);
#endif
}

#ifdef __x86_64__
// poll and ppoll like those of glibc 2.43 in Debian: the number is on the stack, not in a register.
extern "C" int JprofTestPoll(pollfd* wait, unsigned long count, int timeout);
extern "C" int JprofTestPpoll(pollfd* wait, unsigned long count, const timespec* timeout);
asm(R"(
        .text
JprofTestPoll:
        sub $16, %rsp
        push $7
        xor %r9d, %r9d
        xor %r8d, %r8d
        call JprofTestCancel
        add $24, %rsp
        ret
JprofTestPpoll:
        sub $16, %rsp
        push $271
        mov $8, %r8d
        xor %ecx, %ecx
        call JprofTestCancel
        add $24, %rsp
        ret
JprofTestCancel:
        sub $16, %rsp
        push 24(%rsp)
        call JprofTestInternalCancel
        add $24, %rsp
        ret
JprofTestInternalCancel:
        mov 8(%rsp), %rax
        sub $24, %rsp
        push %r9
        push %r8
        mov %rcx, %r10
        call JprofTestArch
        add $40, %rsp
        ret
        .skip 64, 0x90
JprofTestArch:
        syscall
        ret
)");
#endif

// Returns the state of a thread: 'S' sleeping, 'R' running (proc(5)).
char StateOf(Tid tid) {
  std::ifstream stat("/proc/self/task/" + std::to_string(Value(tid)) + "/stat");
  std::string line;
  std::getline(stat, line);
  return line[line.rfind(')') + 2];
}

// A thread that repeats `body` until it is stopped, and receives signals meanwhile.
class SignalledThread {
 public:
  SignalledThread(int action_flags, std::function<void()> body) {
    g_blocked = 0;
    g_running = 0;
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | action_flags;
    sigaction(SIGUSR1, &action, nullptr);
    thread_ = std::thread([this, body = std::move(body)] {
      tid_ = CurrentTid();
      while (!stop_.load(std::memory_order_relaxed)) body();
    });
    while (tid_.load() == Tid{0}) std::this_thread::yield();
  }

  // Sends a signal each time the thread is in `state`, and waits until it was handled.
  void Send(int signals, char state) {
    for (int sent = 1; sent <= signals; ++sent) {
      while (StateOf(tid_) != state) std::this_thread::yield();
      pthread_kill(thread_.native_handle(), SIGUSR1);
      while (g_blocked + g_running < sent) std::this_thread::yield();
    }
  }

  // Does the same as Send, for a body that only a signal unblocks. The last signal ends the thread.
  void SendAndStop(int signals) {
    Send(signals - 1, 'S');
    while (StateOf(tid_) != 'S') std::this_thread::yield();
    stop_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }

  // Stops the thread. `wake` unblocks the body.
  void Stop(const std::function<void()>& wake) {
    stop_ = true;
    wake();
    thread_.join();
  }

 private:
  std::atomic<Tid> tid_{Tid{0}};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class RegistersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later, elsewhere";
    ASSERT_EQ(pipe(pipe_), 0);
  }
  void TearDown() override {
    close(pipe_[0]);
    close(pipe_[1]);
  }

  void WritePipe() const { EXPECT_EQ(write(pipe_[1], "x", 1), 1); }

  static constexpr int kSignals = 100;
  int pipe_[2] = {-1, -1};
};

TEST_F(RegistersTest, AThreadInNanosleepIsBlocked) {
  SignalledThread thread(SA_RESTART, [] {
    const timespec pause{1000, 0};
    nanosleep(&pause, nullptr);
  });
  thread.SendAndStop(kSignals);
  EXPECT_EQ(g_blocked, kSignals);
}

TEST_F(RegistersTest, AThreadInAReadThatIsRestartedIsBlocked) {
  SignalledThread thread(SA_RESTART, [this] {
    char byte;
    EXPECT_EQ(read(pipe_[0], &byte, 1), 1);
  });
  thread.Send(kSignals, 'S');
  thread.Stop([this] { WritePipe(); });
  EXPECT_EQ(g_blocked, kSignals);
  EXPECT_EQ(g_number, SYS_read);
}

TEST_F(RegistersTest, AThreadInAReadThatReturnsEintrIsBlocked) {
  std::atomic<int> interrupted{0};
  SignalledThread thread(0, [&] {
    char byte;
    if (read(pipe_[0], &byte, 1) < 0 && errno == EINTR) interrupted.fetch_add(1);
  });
  thread.Send(kSignals, 'S');
  thread.Stop([this] { WritePipe(); });
  EXPECT_EQ(g_blocked, kSignals);
  EXPECT_EQ(interrupted, kSignals);
  EXPECT_EQ(g_number, SYS_read);
}

TEST_F(RegistersTest, AThreadInPollIsBlocked) {
  SignalledThread thread(SA_RESTART, [this] {
    pollfd wait{pipe_[0], POLLIN, 0};
    poll(&wait, 1, -1);
  });
  thread.SendAndStop(kSignals);
  EXPECT_EQ(g_blocked, kSignals);
}

// ppoll always returns EINTR. It is not called through glibc, whose wrappers differ by release.
TEST_F(RegistersTest, TheNumberIsKnownAfterEintrToo) {
  SignalledThread thread(SA_RESTART, [this] {
    pollfd wait{pipe_[0], POLLIN, 0};
    WaitInPpoll(&wait);
  });
  thread.SendAndStop(kSignals);
  EXPECT_EQ(g_blocked, kSignals);
  EXPECT_EQ(g_number, SYS_ppoll);
}

#ifdef __x86_64__
TEST_F(RegistersTest, KnowsThePushedNumberOfACancellableCall) {
  SignalledThread poll_thread(SA_RESTART, [this] {
    pollfd wait{pipe_[0], POLLIN, 0};
    JprofTestPoll(&wait, 1, -1);
  });
  poll_thread.SendAndStop(kSignals);
  EXPECT_EQ(g_blocked, kSignals);
  EXPECT_EQ(g_number, SYS_poll);
  SignalledThread ppoll_thread(SA_RESTART, [this] {
    pollfd wait{pipe_[0], POLLIN, 0};
    JprofTestPpoll(&wait, 1, nullptr);
  });
  ppoll_thread.SendAndStop(kSignals);
  EXPECT_EQ(g_number, SYS_ppoll);
}
#endif

TEST_F(RegistersTest, AThreadThatWaitsOnAFutexIsBlocked) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  SignalledThread thread(SA_RESTART, [&] { sem_wait(&semaphore); });
  thread.Send(kSignals, 'S');
  thread.Stop([&] { sem_post(&semaphore); });
  EXPECT_EQ(g_blocked, kSignals);
  EXPECT_EQ(g_number, SYS_futex);
  sem_destroy(&semaphore);
}

TEST_F(RegistersTest, ASpinningThreadIsNotBlocked) {
  volatile uint64_t work = 0;
  SignalledThread thread(SA_RESTART, [&] {
    for (int i = 0; i < 1000; ++i) work = work + 1;
  });
  thread.Send(kSignals, 'R');
  thread.Stop([] {});
  EXPECT_EQ(g_running, kSignals);
}

// A few signals are counted as blocked: a signal at the instruction that enters the kernel looks
// like a signal after which the system call is restarted.
TEST_F(RegistersTest, AThreadWithQuickSystemCallsIsRarelyBlocked) {
  SignalledThread thread(SA_RESTART, [] { RawSyscall(SYS_getpid); });
  thread.Send(kSignals, 'R');
  thread.Stop([] {});
  EXPECT_LT(g_blocked, kSignals / 4);
}

TEST_F(RegistersTest, TheProgramCounterLiesInTheInterruptedCode) {
  static std::atomic<uint64_t> pc;
  struct sigaction action = {};
  action.sa_sigaction = [](int, siginfo_t*, void* ucontext) {
    pc = Value(ProgramCounter(static_cast<ucontext_t*>(ucontext)));
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  const auto here = reinterpret_cast<uint64_t>(&StateOf);
  // RawSyscall is inlined: the signal interrupts this function, which is code of this binary.
  RawSyscall(SYS_tgkill, getpid(), Value(CurrentTid()), SIGUSR1);
  EXPECT_LT(pc > here ? pc - here : here - pc, uint64_t{1} << 24);
}

}  // namespace
}  // namespace jprof
