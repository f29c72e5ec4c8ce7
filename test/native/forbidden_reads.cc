// A preloaded library that installs a seccomp filter like that of some containers, under which the
// process cannot read its own memory by process_vm_readv.
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/forbidden_call.h"

namespace {

__attribute__((constructor)) void ForbidReads() {
  if (jprof::test::ForbidCall(SYS_process_vm_readv, EPERM)) return;
  perror("forbidden_reads");
  abort();
}

}  // namespace
