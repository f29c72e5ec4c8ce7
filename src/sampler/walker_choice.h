// ChooseWalker: sets up the stack walker of a recording, by the option cstack=.
#pragma once

#include <optional>

#include "options/options.h"
#include "sampler/jvm_connection.h"
#include "walking/walking.h"

namespace jprof {

// Sets the stack mode, and begins a use of VmCursor if the mode needs it. Returns nullopt if
// AsyncGetCallTrace walks, as requested or, with a warning, because VmCursor cannot work in this
// JVM. REQUIRES: no sampler is running.
std::optional<Walking::Use> ChooseWalker(StackWalker walker, JvmConnection& jvm);

}  // namespace jprof
