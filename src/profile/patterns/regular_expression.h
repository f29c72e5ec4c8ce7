// ParseSlice: a slice whose patterns are regular expressions (RE2's). What jprof does in place of
// Slice::Parse; the agent does without RE2. Thread-safe: no state.
#pragma once

#include "profile/slices/slice.h"

namespace jprof::profile {

Result<Slice> ParseSlice(const SliceOptions& options);

}  // namespace jprof::profile
