// RunConfined: work on a file that somebody else wrote, in a child process that can do nothing but
// that: it has the rights of the file's owner, three descriptors, and bounds on what it uses.
//
// A fault in the work, found by whoever wrote the file, then gives nobody more than they had.
// Linux; jprof's one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace jprof {

struct Confinement {
  // Of the child, if we are root; without supplementary groups. Otherwise it keeps ours. For root's
  // own file, which may be a copy of what another user's JVM wrote, the child is nobody.
  uid_t uid = 0;
  gid_t gid = 0;
  // The child's descriptors, as kConfinedInput and kConfinedOutput.
  int input = -1;
  int output = -1;
  uint64_t memory_bytes = 0;  // beyond what jprof itself has
  uint64_t cpu_seconds = 0;
  uint64_t output_bytes = 0;
};

inline constexpr int kConfinedInput = 3;
inline constexpr int kConfinedOutput = 4;

// What `work` returned, at most kMaxAnswer bytes of it; the child may be in the hands of somebody
// else: check it. The error is one line that says how the child ended instead.
inline constexpr size_t kMaxAnswer = 64 * 1024;
Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work);

}  // namespace jprof
