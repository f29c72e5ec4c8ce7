// ReadJvmTexts: what a HotSpot JVM says of its own start, in the file of counters that it keeps for
// jstat (hsperfdata). Unlike the command line of the process, these texts contain what argument
// files and environment variables add, and what launchers of other names start.
//
// The file belongs to the JVM, and so to a user who is perhaps not ours: bounded, and believed
// about that JVM only. Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/mapped_files.h"

namespace jprof {

struct JvmTexts {
  std::string java_command;  // main class, jar or module/class, and its arguments; empty: unknown
  std::string vm_arguments;  // empty: none, or unknown
  // HotSpot cuts texts at 1024 bytes (jdk-25+36 src/hotspot/share/runtime/perfData.hpp).
  bool has_all_vm_arguments = false;
};

// `files`: those that the process `pid` has mapped, `owner`: its user. All texts are unknown if the
// JVM keeps no such file (-XX:-UsePerfData) or the file has been removed.
JvmTexts ReadJvmTexts(pid_t pid, const std::vector<MappedFile>& files, uid_t owner);

}  // namespace jprof
