// A preloaded library that installs a seccomp filter like that of most containers, under which the
// process cannot open a perf_event.
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/forbidden_call.h"

namespace {

__attribute__((constructor)) void ForbidPerfEvents() {
  if (jprof::test::ForbidCall(SYS_perf_event_open, EPERM)) return;
  perror("forbidden_perf_events");
  abort();
}

}  // namespace
