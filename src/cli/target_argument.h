// FindTarget: the JVM that a TARGET argument denotes.
//
// jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/failure.h"
#include "attach/jvm_list.h"

namespace jprof {

// Digits are a pid, unchecked; anything else names a JVM (MatchingJvms). Fails with kNoProcess and
// the list of running or matching JVMs unless exactly one matches.
Outcome<pid_t> FindTarget(const std::string& argument);

// The table of `jprof list`.
std::string JvmTable(const std::vector<JvmDescription>& jvms);

}  // namespace jprof
