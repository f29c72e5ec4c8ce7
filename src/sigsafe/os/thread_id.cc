#include "sigsafe/os/thread_id.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace jprof {

// gettid() itself came with glibc 2.30; the system call cannot fail.
Tid CurrentTid() { return Tid{static_cast<int32_t>(syscall(SYS_gettid))}; }

}  // namespace jprof
