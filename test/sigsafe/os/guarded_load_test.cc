#include "sigsafe/os/guarded_load.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstring>

#include "os/fault_action.h"
#include "sigsafe/os/signal_mask.h"
#include "support/guarded_page.h"
#include "support/sanitizer.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::GuardedPage;
using test::InSignal;

sigjmp_buf g_foreign_fault;
int g_foreign_faults = 0;

void ForeignHandler(int, siginfo_t*, void*) {
  ++g_foreign_faults;
  siglongjmp(g_foreign_fault, 1);
}

struct sigaction ActionOf(int signal) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  return action;
}

// Tests in a process that already has a handler of faults, as the JVM has.
class GuardedLoadTest : public testing::Test {
 protected:
  GuardedLoadTest() {
    struct sigaction action = {};
    action.sa_sigaction = ForeignHandler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaddset(&action.sa_mask, SIGUSR1);
    for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, &before_[signal]);
    g_foreign_faults = 0;
    Result<FaultAction> faults = FaultAction::Install();
    EXPECT_TRUE(faults) << faults.error().message();
    faults_ = std::move(faults).value();
  }

  ~GuardedLoadTest() override {
    faults_.Uninstall();
    for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &before_[signal], nullptr);
  }

  struct sigaction before_[NSIG];
  FaultAction faults_;
};

template <typename T>
uint64_t AddressOf(const T* object) {
  return reinterpret_cast<uint64_t>(object);
}

TEST_F(GuardedLoadTest, ReadableMemoryIsReadInEveryWidth) {
  const uint64_t word = 0x8899aabbccddeeff;
  uint8_t one = 0;
  uint16_t two = 0;
  uint32_t four = 0;
  int64_t eight = 0;
  InSignal([&] {
    EXPECT_TRUE(GuardedLoad(AddressOf(&word), &one));
    EXPECT_TRUE(GuardedLoad(AddressOf(&word), &two));
    EXPECT_TRUE(GuardedLoad(AddressOf(&word), &four));
    EXPECT_TRUE(GuardedLoad(AddressOf(&word), &eight));
  });
  EXPECT_EQ(one, 0xff);
  EXPECT_EQ(two, 0xeeff);
  EXPECT_EQ(four, 0xccddeeffu);
  EXPECT_EQ(eight, static_cast<int64_t>(word));
}

TEST_F(GuardedLoadTest, BadAddressesReturnFalseAndKeepTheTarget) {
  if (test::kUnderTsan) {
    GTEST_SKIP() << "ThreadSanitizer crashes at addresses without shadow memory";
  }
  GuardedPage page(4096);
  const auto end = reinterpret_cast<uint64_t>(page.region().data) + page.region().size;
  uint64_t value = 7;
  for (const uint64_t address : {uint64_t{0}, uint64_t{8}, end, end - 3, uint64_t{1} << 63,
                                 ~uint64_t{0} - 7, uint64_t{0xffff800000000000}}) {
    bool readable = true;
    InSignal([&] { readable = GuardedLoad(address, &value); });
    EXPECT_FALSE(readable) << std::hex << address;
  }
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(g_foreign_faults, 0);
}

TEST_F(GuardedLoadTest, AMappedFileIsUnreadableAfterItsTruncation) {
  char name[] = "/tmp/jprof-guarded-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  void* mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_EQ(ftruncate(file, 0), 0);
  uint64_t value = 0;
  EXPECT_FALSE(GuardedLoad(reinterpret_cast<uint64_t>(mapped), &value));  // SIGBUS
  munmap(mapped, 4096);
  close(file);
}

// Blocks SIGSEGV and SIGBUS on this thread while it lives.
class FaultsBlocked {
 public:
  FaultsBlocked() {
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &faults, &before_);
  }
  ~FaultsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  FaultsBlocked(const FaultsBlocked&) = delete;
  FaultsBlocked& operator=(const FaultsBlocked&) = delete;

  static bool Holds() {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, SIGSEGV) == 1 && sigismember(&now, SIGBUS) == 1;
  }

 private:
  sigset_t before_;
};

TEST_F(GuardedLoadTest, UnblocksFaultsForTheHandlerOnly) {
  const FaultsBlocked blocked;
  bool opened = false;
  bool readable = true;
  InSignal([&](void* ucontext) {
    opened = OpenFaultSignals(static_cast<ucontext_t*>(ucontext));
    uint64_t value = 0;
    readable = GuardedLoad(8, &value);  // would end the process if the signal were blocked
  });
  EXPECT_TRUE(opened);
  EXPECT_FALSE(readable);
  EXPECT_TRUE(FaultsBlocked::Holds());
}

TEST_F(GuardedLoadTest, DoesNotDeliverAPendingFaultSignalEarlier) {
  sigset_t segv;
  sigemptyset(&segv);
  sigaddset(&segv, SIGSEGV);
  {
    const FaultsBlocked blocked;
    pthread_kill(pthread_self(), SIGSEGV);
    bool opened = true;
    InSignal(
        [&](void* ucontext) { opened = OpenFaultSignals(static_cast<ucontext_t*>(ucontext)); });
    EXPECT_FALSE(opened);
    EXPECT_TRUE(FaultsBlocked::Holds());
    int taken = 0;
    sigwait(&segv, &taken);
    EXPECT_EQ(taken, SIGSEGV);
  }
  EXPECT_EQ(g_foreign_faults, 0);
}

TEST_F(GuardedLoadTest, OtherFaultsReachThePreviousHandler) {
  if (sigsetjmp(g_foreign_fault, 1) == 0) {
    volatile auto* bad = reinterpret_cast<volatile int*>(8);  // volatile: forces the load
    static_cast<void>(*bad);
    FAIL() << "no fault";
  }
  EXPECT_EQ(g_foreign_faults, 1);
}

TEST_F(GuardedLoadTest, KeepsFlagsAndMaskOfThePreviousHandler) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer answers sigaction by a table of its own";
  const struct sigaction ours = ActionOf(SIGSEGV);
  EXPECT_NE(ours.sa_sigaction, ForeignHandler);
  EXPECT_EQ(ours.sa_flags & ~0x04000000,  // SA_RESTORER, the C library's own
            SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
  EXPECT_EQ(sigismember(&ours.sa_mask, SIGUSR1), 1);
  EXPECT_EQ(sigismember(&ours.sa_mask, SIGUSR2), 0);
}

TEST_F(GuardedLoadTest, UninstallRestoresThePreviousHandler) {
  faults_.Uninstall();
  EXPECT_EQ(ActionOf(SIGSEGV).sa_sigaction, ForeignHandler);
  EXPECT_EQ(ActionOf(SIGBUS).sa_sigaction, ForeignHandler);
}

TEST_F(GuardedLoadTest, KeepsALaterHandler) {
  struct sigaction later = {};
  later.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &later, nullptr);
  faults_.Uninstall();
  EXPECT_EQ(ActionOf(SIGSEGV).sa_handler, SIG_DFL);
  EXPECT_EQ(ActionOf(SIGBUS).sa_sigaction, ForeignHandler);
}

TEST(FaultActionTest, IsNotInstalledWithoutAPreviousHandler) {
  struct sigaction before;
  struct sigaction none = {};
  none.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &none, &before);
  const Result<FaultAction> faults = FaultAction::Install();
  EXPECT_FALSE(faults);
  EXPECT_EQ(ActionOf(SIGSEGV).sa_handler, SIG_DFL);
  sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace
}  // namespace jprof
