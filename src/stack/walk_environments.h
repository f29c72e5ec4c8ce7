// ChangeWalkEnvironment: how the agent tells its handlers of a new buffer, mode or layout.
//
// Outside handlers, any thread. Thread-safe.
#pragma once

#include <functional>

#include "sigsafe/stack/walk_environment.h"

namespace jprof {

// Publishes the present environment with what `change` makes of it. Environments are leaked on
// purpose, for a late handler may still read one; equal ones are one, so that their number is that
// of the kinds of sessions, and not of sessions.
void ChangeWalkEnvironment(const std::function<void(WalkEnvironment&)>& change);

}  // namespace jprof
