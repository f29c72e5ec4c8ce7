// FindTarget: the one JVM that a TARGET argument means.
//
// jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/failure.h"
#include "attach/jvm_list.h"

namespace jprof {

// Digits are a pid, whatever it is; anything else names a JVM (MatchingJvms). kNoProcess, with the
// list of what there is or what matches.
Outcome<pid_t> FindTarget(const std::string& argument);

// The table of `jprof list`.
std::string JvmTable(const std::vector<JvmDescription>& jvms);

}  // namespace jprof
