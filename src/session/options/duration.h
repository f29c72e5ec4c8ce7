// ParseDuration: the times of option strings, such as 10ms.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Digits and one of ns, us, ms, s, m (minutes), h; without a unit they are nanoseconds. No sign,
// fraction, space or upper case. What does not fit Nanos is an error, never a wrapped value. The
// error is a phrase without the text, for the caller to put behind it.
Result<Nanos> ParseDuration(std::string_view text);

}  // namespace jprof
