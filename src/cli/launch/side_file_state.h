// SideFileState: the state of a JVM, as the file of its recording's open chunk
// (jfr/writer/side_file.h) shows it. The JVM holds a lock on the file while it lives.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>

namespace jprof {

enum class SideFileState {
  kNone,      // the file does not exist: no chunk is open
  kLocked,    // the JVM is recording
  kLeftOver,  // the JVM died with an open chunk
};

// Returns the name of the side file of `recording`, a name without a folder. `pid`: the JVM's pid
// in its own namespace.
std::string SideFileName(const std::string& recording, pid_t pid);

// Returns the state of the side file `name` in the folder with the descriptor `folder`. Follows no
// link.
SideFileState StateOfSideFile(int folder, const std::string& name);

}  // namespace jprof
