// Tests signal_body and guarded_page: each violation of the rules for handlers is noticed.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "support/guarded_page.h"
#include "support/sanitizer.h"
#include "support/signal_body.h"

namespace jprof::test {
namespace {

// Keeps the optimiser, which knows malloc, from removing allocations that are not used.
void* volatile g_block;

TEST(SignalBodyTest, ASoundBodyRunsOnceOnTheAlternateStack) {
  int runs = 0;
  InSignal([&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(SignalBodyTest, EachAllocatorFunctionIsNoticed) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer reports such calls itself";
  void* const before = malloc(8);
  EXPECT_STREQ(ReportOfSignal([] { g_block = malloc(100); }).forbidden_call, "malloc");
  free(g_block);
  EXPECT_STREQ(ReportOfSignal([] { g_block = ::operator new(100); }).forbidden_call, "malloc");
  ::operator delete(g_block);
  EXPECT_STREQ(ReportOfSignal([&] { free(before); }).forbidden_call, "free");
  EXPECT_NE(ReportOfSignal([] { g_block = calloc(3, 5); }).forbidden_call, nullptr);
  // NOLINTNEXTLINE(bugprone-suspicious-realloc-usage): a failure would end the test
  EXPECT_NE(ReportOfSignal([] { g_block = realloc(g_block, 300); }).forbidden_call, nullptr);
  free(g_block);
}

TEST(SignalBodyTest, IgnoresAllocationsOutsideTheBody) {
  g_block = malloc(10);
  free(g_block);
  InSignal([] {});
}

TEST(SignalBodyTest, AChangedErrnoIsNoticed) {
  EXPECT_FALSE(ReportOfSignal([] { errno = EINTR; }).errno_kept);
  EXPECT_TRUE(ReportOfSignal([] {}).errno_kept);
}

TEST(SignalBodyTest, TheInterruptedThreadSeesItsOwnErrno) {
  errno = 17;
  InSignal([] {});
  EXPECT_EQ(errno, 17);
}

#if !defined(JPROF_UNDER_TSAN) && !defined(JPROF_UNDER_ASAN)
// Declared as in the dynamic linker (glibc 2.36 sysdeps/x86_64/dl-tls.h, tls_index).
extern "C" void* __tls_get_addr(void* index);

TEST(SignalBodyTest, DynamicThreadLocalsAreNoticed) {
  thread_local int own = 3;
  struct {
    unsigned long module, offset;  // NOLINT(google-runtime-int): the linker's words
  } index = {1, 0};                // module 1: the executable's own variables
  const SignalBodyReport report = ReportOfSignal([&] { g_block = __tls_get_addr(&index); });
  EXPECT_STREQ(report.forbidden_call, "__tls_get_addr");
  EXPECT_EQ(own, 3);
}
#endif

TEST(GuardedPageTest, TheFirstByteAfterTheRegionFaults) {
  const GuardedPage page(192);
  auto* bytes = static_cast<volatile char*>(page.region().data);
  EXPECT_EQ(page.region().size, 192u);
  bytes[0] = 1;
  bytes[191] = 1;
  EXPECT_DEATH(bytes[192] = 1, "");
}

TEST(GuardedPageTest, TheRegionIsZeroedAndAlignedAsItsSizeAllows) {
  const GuardedPage page(64 * 1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(page.region().data) % 64, 0u);
  const auto* bytes = static_cast<const char*>(page.region().data);
  for (size_t i = 0; i < page.region().size; ++i) ASSERT_EQ(bytes[i], 0);
}

}  // namespace
}  // namespace jprof::test
