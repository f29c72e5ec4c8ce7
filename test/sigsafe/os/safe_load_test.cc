#include "sigsafe/os/safe_load.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "support/forbidden_call.h"

namespace jprof {
namespace {

// Three pages whose bytes are all 0x42. The middle one can be made inaccessible.
class ThreePages {
 public:
  ThreePages() {
    base_ = static_cast<char*>(
        mmap(nullptr, 3 * size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    memset(base_, 0x42, 3 * size());
  }
  ~ThreePages() { munmap(base_, 3 * size()); }

  void CloseMiddle() { mprotect(base_ + size(), size(), PROT_NONE); }
  void UnmapMiddle() { munmap(base_ + size(), size()); }
  char* middle() const { return base_ + size(); }
  char* begin() const { return base_; }
  static size_t size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

 private:
  char* base_;
};

TEST(SafeLoadTest, ReadsMappedMemory) {
  const uint64_t value = 0x0123456789ABCDEF;
  uint64_t read = 0;
  EXPECT_TRUE(SafeLoad(&value, &read));
  EXPECT_EQ(read, value);
  EXPECT_EQ(ProbeSafeLoad(), SafeLoadOutcome::kComplete);
}

TEST(SafeLoadTest, UnreadableAddressesAreFaultsAndLeaveErrnoAlone) {
  ThreePages pages;
  pages.CloseMiddle();
  const void* const bad[] = {nullptr, reinterpret_cast<void*>(8), pages.middle(),
                             reinterpret_cast<void*>(~uintptr_t{0} - 7),
                             reinterpret_cast<void*>(uintptr_t{1} << 60)};
  for (const void* address : bad) {
    uint64_t read = 0;
    errno = 1234;
    EXPECT_EQ(TrySafeCopy(&read, address, sizeof read).outcome, SafeLoadOutcome::kFault) << address;
    EXPECT_FALSE(SafeLoad(address, &read)) << address;
    EXPECT_EQ(errno, 1234);
  }
}

TEST(SafeLoadTest, DoesNotLoadAValueThatReachesIntoAClosedPage) {
  ThreePages pages;
  pages.CloseMiddle();
  uint64_t read = 0;
  EXPECT_TRUE(SafeLoad(pages.middle() - 8, &read));
  EXPECT_FALSE(SafeLoad(pages.middle() - 7, &read));
  EXPECT_EQ(SafeCopy(&read, pages.middle() - 7, 8), 7u);
}

TEST(SafeLoadTest, ACopyStopsExactlyWhereTheMemoryEnds) {
  ThreePages pages;
  pages.UnmapMiddle();
  std::vector<char> to(3 * ThreePages::size(), 0);
  const SafeCopyResult result = TrySafeCopy(to.data(), pages.begin() + 5, to.size() - 5);
  EXPECT_EQ(result.copied, ThreePages::size() - 5);
  EXPECT_EQ(result.outcome, SafeLoadOutcome::kFault);
  EXPECT_EQ(to[result.copied - 1], 0x42);
  EXPECT_EQ(to[result.copied], 0) << "bytes after the prefix are not written";
}

TEST(SafeLoadTest, LongCopiesTakeSeveralCallsAndAreExact) {
  std::vector<char> from(100 * 4096 + 17);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 31 >> 4);
  std::vector<char> to(from.size());
  EXPECT_EQ(SafeCopy(to.data(), from.data(), from.size()), from.size());
  EXPECT_EQ(to, from);
  EXPECT_EQ(TrySafeCopy(to.data(), nullptr, 0).outcome, SafeLoadOutcome::kComplete);
}

struct SeenInHandler {
  const ThreePages* pages;
  bool mapped_ok, closed_ok;
  size_t straddling;
};
SeenInHandler* g_seen = nullptr;

void LoadInHandler(int) {
  char bytes[16];
  uint64_t read = 0;
  g_seen->mapped_ok = SafeLoad(g_seen->pages->begin(), &read);
  g_seen->closed_ok = SafeLoad(g_seen->pages->middle(), &read);
  g_seen->straddling = SafeCopy(bytes, g_seen->pages->middle() - 3, sizeof bytes);
}

TEST(SafeLoadTest, WorksInASignalHandlerOnASmallAlternateStack) {
  ThreePages pages;
  pages.CloseMiddle();
  SeenInHandler seen = {&pages, false, true, 0};
  g_seen = &seen;

  std::vector<char> stack(64 * 1024);  // the least that AddressSanitizer needs
  stack_t alternate = {stack.data(), 0, stack.size()}, old_stack;
  ASSERT_EQ(sigaltstack(&alternate, &old_stack), 0);
  struct sigaction action = {}, old_action;
  action.sa_handler = LoadInHandler;
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGPROF, &action, &old_action), 0);
  raise(SIGPROF);
  sigaction(SIGPROF, &old_action, nullptr);
  sigaltstack(&old_stack, nullptr);

  EXPECT_TRUE(seen.mapped_ok);
  EXPECT_FALSE(seen.closed_ok);
  EXPECT_EQ(seen.straddling, 3u);
}

class SafeLoadForbiddenTest : public testing::TestWithParam<int> {};

TEST_P(SafeLoadForbiddenTest, ADeniedSystemCallIsNotBadMemory) {
  const pid_t child = fork();
  if (child == 0) {
    if (!test::ForbidCall(SYS_process_vm_readv, static_cast<uint32_t>(GetParam()))) _exit(2);
    _exit(ProbeSafeLoad() == SafeLoadOutcome::kForbidden ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(ContainerErrors, SafeLoadForbiddenTest, testing::Values(EPERM, ENOSYS));

TEST(SafeLoadTest, AForkedChildReadsItsOwnMemory) {
  volatile int value = 1;
  const pid_t child = fork();
  if (child == 0) {
    value = 2;
    int read = 0;
    _exit(SafeLoad(const_cast<int*>(&value), &read) && read == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace jprof
