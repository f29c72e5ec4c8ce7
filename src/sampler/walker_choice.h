// ChooseWalker: sets up the stack walker of a recording, by the option cstack=.
#pragma once

#include <memory>

#include "options/options.h"
#include "sampler/jvm_connection.h"
#include "stack/vm_walking.h"

namespace jprof {

// Sets the stack mode, and enables VmCursor if the mode needs it. Returns nullptr if
// AsyncGetCallTrace walks, as requested or, with a warning, because VmCursor cannot work in this
// JVM. REQUIRES: no sampler is running.
std::unique_ptr<VmWalking> ChooseWalker(StackWalker walker, JvmConnection& jvm);

}  // namespace jprof
