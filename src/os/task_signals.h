// Which signals a thread blocks, as the kernel tells it. Thread-safe; not for handlers.
#pragma once

#include <optional>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// nullopt: the thread is gone, or /proc does not tell. Reads a file.
std::optional<bool> TaskBlocksSignal(Tid tid, int signal);

// `status`: the text of /proc/self/task/N/status, proc(5).
std::optional<bool> ParseBlocksSignal(std::string_view status, int signal);

}  // namespace jprof
