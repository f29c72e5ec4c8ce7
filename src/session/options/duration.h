// ParseDuration, ParseInterval: the times of options, such as 10ms.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// What a number without unit counts: everywhere the same rule, async-profiler's.
inline constexpr std::string_view kUnitlessNumbers =
    "without unit intervals are nanoseconds, other times seconds, sizes bytes";

// Digits and one of ns, us, ms, s, m (minutes), h; without a unit they are seconds. No sign,
// fraction, space or upper case. What does not fit Nanos is an error, never a wrapped value. The
// error is a phrase without the text, for the caller to put behind it.
Result<Nanos> ParseDuration(std::string_view text);

// The same for the time between two samples: without a unit nanoseconds.
Result<Nanos> ParseInterval(std::string_view text);

}  // namespace jprof
