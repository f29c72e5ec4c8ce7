#include "sigsafe/os/signal_mask.h"

#include <sys/syscall.h>

#include <csignal>
#include <cstdint>
#include <cstring>

#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

// The kernel's format of a signal mask: bit n - 1 for signal n.
using KernelMask = uint64_t;

constexpr KernelMask kFaults = KernelMask{1} << (SIGSEGV - 1) | KernelMask{1} << (SIGBUS - 1);

bool Open(KernelMask blocked) {
  if ((blocked & kFaults) == 0) return true;
  KernelMask pending = kFaults;
  if (RawSyscall(SYS_rt_sigpending, RawArgument(&pending), sizeof pending) != 0 ||
      (pending & kFaults) != 0) {
    return false;
  }
  const KernelMask open = kFaults;
  return RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, RawArgument(&open), 0, sizeof open) == 0;
}

}  // namespace

bool OpenFaultSignals(const ucontext_t* ucontext) {
  KernelMask blocked;
  memcpy(&blocked, &ucontext->uc_sigmask, sizeof blocked);
  return Open(blocked);
}

OpenFaultSignalsScope::OpenFaultSignalsScope() {
  KernelMask blocked = 0;
  if (RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, RawArgument(&blocked), sizeof blocked) != 0) {
    return;
  }
  are_open_ = Open(blocked);
  if (are_open_) blocked_ = blocked & kFaults;
}

OpenFaultSignalsScope::~OpenFaultSignalsScope() {
  if (blocked_ == 0) return;
  static_cast<void>(
      RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, RawArgument(&blocked_), 0, sizeof blocked_));
}

}  // namespace jprof
