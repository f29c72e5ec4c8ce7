// Preloaded: a seccomp filter as of some containers, under which no process may read its memory by
// process_vm_readv.
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
