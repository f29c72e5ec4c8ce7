// ChangeWalkEnvironment publishes a new buffer, mode or layout to signal handlers.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <functional>

#include "sigsafe/stack/walk_environment.h"

namespace jprof {

// Applies `change` to a copy of the current environment and publishes the copy. Environments are
// leaked on purpose, because a signal handler that has started might still read one. If the copy
// equals an earlier environment, the earlier one is published, so that the number of environments
// does not grow with the number of recordings.
void ChangeWalkEnvironment(const std::function<void(WalkEnvironment&)>& change);

}  // namespace jprof
