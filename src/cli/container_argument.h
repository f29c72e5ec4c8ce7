// FindInContainer finds the JVM that --container or --pod denotes.
//
// Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "attach/failure.h"
#include "cli/words/cli_table.h"

namespace jprof {

// Returns the pid of the only JVM in the containers that `text` denotes (MatchingContainers or
// ContainersOfPod). Fails with kNoProcess and a table of the JVMs or containers from which the user
// can choose, or with kPermission if the user may not read the state of containers.
// `option`: kContainer or kPod.
Outcome<pid_t> FindInContainer(CliOption option, const std::string& text);

// Returns a failure of the kind kNoProcess: the message and, in the lines after it, the table.
Failure NoProcessWithTable(const std::string& message, const std::string& table);

}  // namespace jprof
