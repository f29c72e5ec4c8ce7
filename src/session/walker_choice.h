// ChooseWalker: sets up the stack walker of a recording, as cstack= asks.
#pragma once

#include <memory>

#include "session/jvm_connection.h"
#include "session/options/options.h"
#include "stack/vm_walking.h"

namespace jprof {

// nullptr: AsyncGetCallTrace walks, because that was asked for or, with a warning, because our own
// walker cannot work in this JVM. REQUIRES: nothing is sampled.
std::unique_ptr<VmWalking> ChooseWalker(StackWalker walker, JvmConnection& jvm);

}  // namespace jprof
