// WantsTaskWatcher: decides whether the task watcher runs. The first of these switches that is set
// decides: the option tlswatcher=, a system property, an environment variable. If none is set, the
// task watcher runs.
//
// Called by the sampler at its start, on any thread. A switch that is neither 0 nor 1 is logged and
// ignored.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace jprof {

// Returns the value of a name; nullopt if it is not set.
using SwitchSource = std::function<std::optional<std::string>(const char* name)>;

bool WantsTaskWatcher(std::optional<bool> option, const SwitchSource& property,
                      const SwitchSource& environment);

}  // namespace jprof
