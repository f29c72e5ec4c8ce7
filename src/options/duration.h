// ParseDuration, ParseInterval: the times of options, such as 10ms.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The meaning of a number without a unit: the rule of async-profiler, everywhere.
inline constexpr std::string_view kUnitlessNumbers =
    "without unit intervals are nanoseconds, other times seconds, sizes bytes";

// Digits and one of ns, us, ms, s, m (minutes), h; seconds without a unit. No sign,
// fraction, space or upper case. Overflow is an error. The error is a phrase that the caller
// appends to the text.
Result<Nanos> ParseDuration(std::string_view text);

// As ParseDuration, for the time between two samples: nanoseconds without a unit.
Result<Nanos> ParseInterval(std::string_view text);

}  // namespace jprof
