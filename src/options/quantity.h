// ParseNumberWithUnit: the common part of times and sizes: digits, then one unit of a table.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// ParseDuration, ParseInterval: the times of options, such as 10ms.
//
//

// The meaning of a number without a unit: the rule of async-profiler, everywhere.
inline constexpr std::string_view kUnitlessNumbers =
    "without unit intervals are nanoseconds, other times seconds, sizes bytes";

// Digits and one of ns, us, ms, s, m (minutes), h; seconds without a unit. No sign,
// fraction, space or upper case. Overflow is an error. The error is a phrase that the caller
// appends to the text.
Result<Nanos> ParseDuration(std::string_view text);

// As ParseDuration, for the time between two samples: nanoseconds without a unit.
Result<Nanos> ParseInterval(std::string_view text);

// ParseByteSize: the sizes of option strings, such as 64m.
//
//

// Digits and one of k, m, g (powers of 1024); bytes without a unit. No sign, fraction, space or
// upper case. The error is a phrase that the caller appends to the text.
Result<int64_t> ParseByteSize(std::string_view text);

struct NumberUnit {
  std::string_view name;  // "": applies to a number without a unit
  int64_t factor;
};

enum class NumberFault { kNotANumber, kTooLarge };

struct NumberOrFault {
  int64_t value = 0;
  std::optional<NumberFault> fault;
};

// No sign, fraction, space or upper case. Overflow is a fault.
NumberOrFault ParseNumberWithUnit(std::string_view text, std::span<const NumberUnit> units);

}  // namespace jprof
