// The signals that a thread blocks, as reported by the kernel. Thread-safe; not for handlers.
#pragma once

#include <optional>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// nullopt: the thread has exited, or /proc is not available. Reads a file.
std::optional<bool> TaskBlocksSignal(Tid tid, int signal);

// `status`: the text of /proc/self/task/N/status, proc(5).
std::optional<bool> ParseBlocksSignal(std::string_view status, int signal);

}  // namespace jprof
