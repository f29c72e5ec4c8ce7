// Times and sizes in options, such as 10ms and 64m: digits, then one unit of a table. No sign,
// fraction, space or upper case is accepted.
//
// The error of ParseDuration, ParseInterval and ParseByteSize is a phrase that the caller appends
// to the text. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The meaning of numbers without a unit, the same as in async-profiler.
inline constexpr std::string_view kUnitlessNumbers =
    "without unit intervals are nanoseconds, other times seconds, sizes bytes";

// Parses a time: digits and one of ns, us, ms, s, m (minutes), h; seconds without a unit. Overflow
// is an error.
Result<Nanos> ParseDuration(std::string_view text);

// Parses the time between two samples: like ParseDuration, but nanoseconds without a unit.
Result<Nanos> ParseInterval(std::string_view text);

// Parses a size: digits and one of k, m, g (powers of 1024); bytes without a unit. Overflow is an
// error.
Result<int64_t> ParseByteSize(std::string_view text);

struct NumberUnit {
  std::string_view name;  // "" for numbers that are written without a unit
  int64_t factor;
};

enum class NumberFault { kNotANumber, kTooLarge };

struct NumberOrFault {
  int64_t value = 0;
  std::optional<NumberFault> fault;
};

// Parses digits and one of the units. Overflow is the fault kTooLarge.
NumberOrFault ParseNumberWithUnit(std::string_view text, std::span<const NumberUnit> units);

}  // namespace jprof
