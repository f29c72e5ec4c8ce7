#include "sigsafe/os/safe_load.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

// The kernel promises partial reads only per iovec element (process_vm_readv(2), Notes), so each
// element ends at a page boundary. The smallest page size is right for larger pages as well.
constexpr uintptr_t kSmallestPage = 4096;
constexpr size_t kElementsPerCall = 16;

struct PageWiseRange {
  iovec elements[kElementsPerCall];
  size_t count = 0;
  size_t bytes = 0;
};

PageWiseRange SplitAtPages(uintptr_t from, size_t n) {
  PageWiseRange range;
  while (range.count < kElementsPerCall && range.bytes < n) {
    const uintptr_t at = from + range.bytes;
    const size_t to_boundary = kSmallestPage - at % kSmallestPage;
    const size_t length = std::min(to_boundary, n - range.bytes);
    range.elements[range.count++] = {reinterpret_cast<void*>(at), length};
    range.bytes += length;
  }
  return range;
}

SafeLoadOutcome OutcomeOf(long error) {
  return error == -EPERM || error == -ENOSYS || error == -EACCES ? SafeLoadOutcome::kForbidden
                                                                 : SafeLoadOutcome::kFault;
}

}  // namespace

SafeCopyResult TrySafeCopy(void* to, const void* from, size_t n) {
  // The pid is read each time, because a stored pid is the parent's pid in a forked child.
  const long pid = RawSyscall(SYS_getpid);
  size_t copied = 0;
  while (copied < n) {  // ends: every round copies at least one byte or returns
    const PageWiseRange remote =
        SplitAtPages(reinterpret_cast<uintptr_t>(from) + copied, n - copied);
    const iovec local = {static_cast<char*>(to) + copied, remote.bytes};
    const long got = RawSyscall(SYS_process_vm_readv, pid, RawArgument(&local), 1,
                                RawArgument(remote.elements), static_cast<long>(remote.count), 0);
    if (got <= 0) return {copied, OutcomeOf(got)};
    copied += static_cast<size_t>(got);
    if (static_cast<size_t>(got) < remote.bytes) return {copied, SafeLoadOutcome::kFault};
  }
  return {copied, SafeLoadOutcome::kComplete};
}

SafeLoadOutcome ProbeSafeLoad() {
  const uint64_t written = 0x5AFE'10AD;
  uint64_t read = 0;
  return TrySafeCopy(&read, &written, sizeof read).outcome;
}

}  // namespace jprof
