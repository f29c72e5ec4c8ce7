// Parsers for the texts that the kernel shows about a process: its status (/proc/<pid>/status) and
// its mapped files (/proc/<pid>/maps).
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

struct ProcessStatus {
  char state = '?';  // R, S, D, T stopped, t traced, Z zombie, X dead (proc_pid_status(5))
  uid_t euid = 0;
  gid_t egid = 0;
  pid_t namespace_pid = 0;  // the pid in the process's own (innermost) pid namespace
  uint64_t caught = 0;      // bit n - 1 is set if signal n has a handler

  bool Catches(int signal) const { return (caught >> (signal - 1) & 1) != 0; }
  bool IsDead() const { return state == 'Z' || state == 'X'; }
  bool IsStopped() const { return state == 'T' || state == 't'; }
};

// Parses the content of /proc/<pid>/status. The Error names the missing or malformed line. On
// kernels before 4.1, which have no NSpid, namespace_pid is the pid.
Result<ProcessStatus> ParseProcessStatus(std::string_view text);

struct MappedFile {
  std::string path;
  bool deleted = false;

  std::string_view Name() const { return std::string_view{path}.substr(path.rfind('/') + 1); }
};

// Returns each mapped file once, in the order of addresses. Skips malformed lines.
std::vector<MappedFile> ParseMappedFiles(std::string_view maps);

// Converts the paths, which the kernel reports as seen from our root, to paths as the process sees
// them. `root`: the path by which we reach the root of the process; "/" if its root is also ours,
// or is not visible here.
void StripRoot(std::vector<MappedFile>* files, const std::string& root);

// Returns the first file named `name`, or nullptr.
const MappedFile* FindMapped(const std::vector<MappedFile>& files, std::string_view name);

}  // namespace jprof
