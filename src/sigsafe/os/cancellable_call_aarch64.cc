// The number of a system call is in a register also behind it (BlockedSyscallNumber).
#include "sigsafe/os/cancellable_call.h"

namespace jprof {

long CancellableCallNumber(const ucontext_t*) { return -1; }

}  // namespace jprof
