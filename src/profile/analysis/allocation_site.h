// AllocationSiteOf: who allocates, and not how. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/profile.h"

namespace jprof::profile {

// Of a stack, with the class of its object or without: the innermost method that is not of the JDK,
// or else the innermost one. nullopt: the stack has none.
std::optional<uint32_t> AllocationSiteOf(const Profile& profile, uint32_t stack);

}  // namespace jprof::profile
