// ParseProcessStatus: the state of a process, from /proc/<pid>/status.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct ProcessStatus {
  char state = '?';  // R, S, D, T stopped, t traced, Z zombie, X dead (proc_pid_status(5))
  uid_t euid = 0;
  gid_t egid = 0;
  pid_t namespace_pid = 0;  // the pid in the process's own (innermost) pid namespace
  uint64_t caught = 0;      // bit n - 1: signal n has a handler

  bool Catches(int signal) const { return (caught >> (signal - 1) & 1) != 0; }
  bool IsDead() const { return state == 'Z' || state == 'X'; }
  bool IsStopped() const { return state == 'T' || state == 't'; }
};

// Parses the content of the file. The Error names the missing or malformed line. On kernels before
// 4.1, which have no NSpid, namespace_pid is the pid.
Result<ProcessStatus> ParseProcessStatus(std::string_view text);

}  // namespace jprof
