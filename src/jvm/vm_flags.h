// VmFlag: a command line flag of the running JVM, as it is in effect.
//
// Outside handlers, any thread.
#pragma once

#include <optional>
#include <string_view>

#include "jvm/vm_structs.h"

namespace jprof {

// Of a flag that is true or false; nullopt: this JVM does not say, or has no such flag.
std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name);

}  // namespace jprof
