// ParseSlice: a slice whose patterns are regular expressions (RE2's: the time to match is linear in
// a name, whatever the pattern and the name). The agent does without. Thread-safe: no state.
#pragma once

#include "profile/slice.h"

namespace jprof {

// Fails as Slice::Parse does.
Result<profile::Slice> ParseSlice(const profile::SliceOptions& options);

}  // namespace jprof
