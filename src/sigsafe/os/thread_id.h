// CurrentTid: the kernel's id of the calling thread. Async-signal-safe: one system call, errno
// untouched.
#pragma once

#include <sys/syscall.h>

#include "sigsafe/base/types.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {

inline Tid CurrentTid() { return Tid{static_cast<int32_t>(RawSyscall(SYS_gettid))}; }

}  // namespace jprof
