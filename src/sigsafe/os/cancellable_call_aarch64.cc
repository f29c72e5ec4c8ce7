// On AArch64 the number of an interrupted system call is still in a register
// (BlockedSyscallNumber), so the stack is not searched for it.
#include "sigsafe/os/cancellable_call.h"

namespace jprof {

long CancellableCallNumber(const ucontext_t*) { return -1; }

}  // namespace jprof
