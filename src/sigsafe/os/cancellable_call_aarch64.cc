// After a system call its number is still in a register (BlockedSyscallNumber), so this function
// searches nothing.
#include "sigsafe/os/cancellable_call.h"

namespace jprof {

long CancellableCallNumber(const ucontext_t*) { return -1; }

}  // namespace jprof
