// RunConfined: runs work on untrusted files in a confined child process. The child has the rights
// of the files' owner, resource limits, and no descriptors except those of the files, the output
// and the answer (0 to 2 are /dev/null).
//
// So the author of a file gains no rights by exploiting a bug in the work. Needs Linux; used on
// jprof's only thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

struct Confinement {
  // The user and group that the child runs as, without supplementary groups, if jprof is root;
  // ignored if jprof is not root. For uid 0 the child runs with the overflow ids (65534), because a
  // file owned by root might be a copy of another user's.
  uid_t uid = 0;
  gid_t gid = 0;
  // The descriptors that the child gets: `inputs` as kConfinedInput and the numbers after it,
  // `output` as kConfinedOutput.
  std::vector<int> inputs = {};
  int output = -1;
  uint64_t memory_bytes = 0;  // address space in addition to jprof's memory
  uint64_t cpu_seconds = 0;
  uint64_t output_bytes = 0;
  // Called several times a second, in this process, while the child works. If it returns false, the
  // child is killed.
  std::function<bool()> while_working = [] { return true; };
  // Called after a child that needed more memory or CPU time than it may use. Returns the end of
  // the error's line.
  std::function<std::string()> advice = [] { return std::string(); };
};

inline constexpr int kConfinedOutput = 3;
inline constexpr int kConfinedInput = 5;  // the number of the first input
inline constexpr size_t kMaxConfinedInputs = 500;

inline constexpr size_t kMaxAnswer = 64 * 1024;  // bytes
// Returns the result of `work`, at most kMaxAnswer bytes. The caller must check the result: the
// child might be compromised. The error is one line about how the child ended instead.
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

}  // namespace jprof
