// ParseSlice parses a slice whose patterns are regular expressions of RE2, which matches a name in
// time linear in its length. Not part of the agent. Thread-safe: no state.
#pragma once

#include "profile/slice.h"

namespace jprof {

// Returns the slice. Fails for a pattern that is not a regular expression, and as Slice::Parse
// does.
Result<profile::Slice> ParseSlice(const profile::SliceOptions& options);

}  // namespace jprof
