// ParseByteSize: the sizes of option strings, such as 64m.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace jprof {

// Digits and one of k, m, g (powers of 1024); bytes without a unit. No sign, fraction, space or
// upper case. The error is a phrase that the caller appends to the text.
Result<int64_t> ParseByteSize(std::string_view text);

}  // namespace jprof
