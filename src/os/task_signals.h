// The signals that a thread blocks, and whether the thread sleeps, as reported by the kernel.
// Thread-safe; not for handlers.
#pragma once

#include <optional>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// nullopt: the thread has exited, or /proc is not available. Reads a file.
std::optional<bool> TaskBlocksSignal(Tid tid, int signal);

// Whether the thread waits in the kernel, and neither runs nor could run. As above.
std::optional<bool> TaskSleeps(Tid tid);

// `status`: the text of /proc/self/task/N/status, proc(5).
std::optional<bool> ParseBlocksSignal(std::string_view status, int signal);
std::optional<bool> ParseSleeps(std::string_view status);

}  // namespace jprof
