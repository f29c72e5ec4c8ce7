// ReadJvmTexts: reads the texts in which a HotSpot JVM records how it was started: its program and
// its arguments. The texts are in hsperfdata, the file of counters that the JVM keeps for jstat.
// Unlike the command line of the process, these texts include the content of argument files and
// environment variables. If the launcher is not java, they also include the program that the
// launcher has started.
//
// The file can belong to another user, so its size is limited, and its texts are used only to
// describe that JVM. Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/proc_texts.h"

namespace jprof {

struct JvmTexts {
  std::string java_command;  // main class, jar or module/class, and its arguments; empty if unknown
  std::string vm_arguments;  // empty if there are none, or if they are unknown
  // False if vm_arguments is unknown or might be cut: HotSpot cuts texts at 1024 bytes (jdk-25+36
  // src/hotspot/share/runtime/perfData.hpp).
  bool has_all_vm_arguments = false;
};

// Returns the texts of the process `pid`. `files`: the files that the process has mapped; `owner`:
// the user of the process. All texts are unknown if the JVM keeps no file of counters
// (-XX:-UsePerfData) or the file has been removed.
JvmTexts ReadJvmTexts(pid_t pid, const std::vector<MappedFile>& files, uid_t owner);

}  // namespace jprof
