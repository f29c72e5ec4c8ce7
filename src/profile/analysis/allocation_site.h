// AllocationSiteOf: finds the code that allocates, rather than the JDK's code that it uses for
// this. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/profile.h"

namespace jprof::profile {

// Returns the innermost method of the stack that is not in the JDK, or else the innermost method;
// nullopt if the stack has no method. The stack can end with the class of the object.
std::optional<uint32_t> AllocationSiteOf(const Profile& profile, uint32_t stack);

}  // namespace jprof::profile
