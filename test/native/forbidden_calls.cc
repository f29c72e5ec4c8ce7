// A preloaded library that installs a seccomp filter like that of some containers, under which the
// system call named by JPROF_TEST_FORBIDDEN fails with the error named by JPROF_TEST_ERROR.
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/forbidden_call.h"

namespace {

struct NamedNumber {
  std::string_view name;
  uint32_t number;
};

constexpr NamedNumber kCalls[] = {
    {"perf_event_open", SYS_perf_event_open},
    {"process_vm_readv", SYS_process_vm_readv},
    {"ptrace", SYS_ptrace},
    {"timer_create", SYS_timer_create},
};

constexpr NamedNumber kErrors[] = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}};

// Returns the number that the environment variable names. Ends the process if it names none.
template <size_t kSize>
uint32_t NumberIn(const char* variable, const NamedNumber (&numbers)[kSize]) {
  const char* const name = getenv(variable);
  for (const NamedNumber& each : numbers) {
    if (name != nullptr && each.name == name) return each.number;
  }
  std::fprintf(stderr, "forbidden_calls: %s has no known name\n", variable);
  abort();
}

__attribute__((constructor)) void ForbidCalls() {
  const uint32_t call = NumberIn("JPROF_TEST_FORBIDDEN", kCalls);
  if (jprof::test::ForbidCall(call, NumberIn("JPROF_TEST_ERROR", kErrors))) return;
  perror("forbidden_calls");
  abort();
}

}  // namespace
