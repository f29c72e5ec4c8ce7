// RunConfined: runs work on untrusted files in a confined child process, with the rights of the
// files' owner, their descriptors and two more, and resource limits.
//
// So the author of a file gains no rights by exploiting a bug in the work. Linux; jprof's one
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

struct Confinement {
  // Of the child, if jprof runs as root; without supplementary groups. Otherwise the child keeps
  // jprof's. For a file of root, which may be a copy of another user's file, the child is nobody.
  uid_t uid = 0;
  gid_t gid = 0;
  // The child's descriptors, as kConfinedInput, the numbers after it, and kConfinedOutput.
  std::vector<int> inputs = {};
  int output = -1;
  uint64_t memory_bytes = 0;  // beyond jprof's own
  uint64_t cpu_seconds = 0;
  uint64_t output_bytes = 0;
  // Called several times a second, in this process, while the child works; false ends the child.
  std::function<bool()> while_working = [] { return true; };
  // Called at the end of a child that needed more memory or time: the end of the error's line.
  std::function<std::string()> advice = [] { return std::string(); };
};

inline constexpr int kConfinedOutput = 3;
inline constexpr int kConfinedInput = 5;  // the first one
inline constexpr size_t kMaxConfinedInputs = 500;

// The result of `work`, at most kMaxAnswer bytes. The caller must check the result, since the child
// may be compromised. The error is one line that says how the child exited instead.
inline constexpr size_t kMaxAnswer = 64 * 1024;
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

}  // namespace jprof
