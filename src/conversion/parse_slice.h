// ParseSlice parses a slice whose patterns are regular expressions of RE2. The time that RE2 needs
// for a name is linear in the length of the name. Not part of the agent. Thread-safe: no state.
#pragma once

#include "profile/slice.h"

namespace jprof {

// Returns the slice. Fails if a pattern is not a regular expression, or if Slice::Parse fails.
Result<profile::Slice> ParseSlice(const profile::SliceOptions& options);

}  // namespace jprof
