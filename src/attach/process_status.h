// ParseProcessStatus: what /proc/<pid>/status says of a process.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct ProcessStatus {
  char state = '?';  // proc_pid_status(5): R, S, D, T stopped, t traced, Z zombie, X dead
  uid_t euid = 0;
  gid_t egid = 0;
  pid_t namespace_pid = 0;  // in the innermost pid namespace; as the process sees itself
  uint64_t caught = 0;      // bit n - 1: signal n has a handler

  bool Catches(int signal) const { return (caught >> (signal - 1) & 1) != 0; }
  bool IsDead() const { return state == 'Z' || state == 'X'; }
  bool IsStopped() const { return state == 'T' || state == 't'; }
};

// An Error names the line that is missing or no number. Kernels before 4.1 have no NSpid: then the
// pid is the only one there is.
Result<ProcessStatus> ParseProcessStatus(std::string_view text);

}  // namespace jprof
