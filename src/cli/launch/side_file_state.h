// SideFileState: what the file of a recording's open chunk (jfr/writer/side_file.h) says about
// the JVM that writes it. The JVM holds a lock on the file for as long as it lives.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>

namespace jprof {

enum class SideFileState {
  kNone,      // the file does not exist: no chunk is open
  kLocked,    // the JVM lives and records
  kLeftOver,  // the JVM died with an open chunk
};

// Returns the name of the side file of `recording`, a name without a folder, in a JVM that has the
// process id `pid` where it runs.
std::string SideFileName(const std::string& recording, pid_t pid);

// Returns the state of the side file `name` in the folder that the descriptor `folder` refers to.
// Follows no link.
SideFileState StateOfSideFile(int folder, const std::string& name);

}  // namespace jprof
