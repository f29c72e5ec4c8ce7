// Times and sizes in options, such as 10ms and 64m: digits that a unit can follow. No sign,
// fraction, space or upper case is accepted.
//
// The error of ParseDuration, ParseInterval, ParseByteSize and ParseShare is a phrase that the caller appends
// to the text. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Explains to users what numbers without a unit mean. They mean the same in async-profiler.
inline constexpr std::string_view kUnitlessNumbers =
    "without unit intervals are nanoseconds, other times seconds, sizes bytes";

// Parses a time, which is digits and one of ns, us, ms, s, m (minutes) and h. A number without a
// unit is a number of seconds. Overflow is an error.
Result<Nanos> ParseDuration(std::string_view text);

// Parses the time between two samples as ParseDuration does, except that a number without a unit is
// a number of nanoseconds.
Result<Nanos> ParseInterval(std::string_view text);

// Parses a size, which is digits and one of k, m and g (powers of 1024). A number without a unit is
// a number of bytes. Overflow is an error.
Result<int64_t> ParseByteSize(std::string_view text);

// Parses a share: a percentage from 0% to 100%, or a decimal number from 0 to below 1. Other numbers
// without % are an error, because 1 could mean 1% or all.
Result<double> ParseShare(std::string_view text);

struct NumberUnit {
  std::string_view name;  // "" for numbers that are written without a unit
  int64_t factor;
};

enum class NumberFault { kNotANumber, kTooLarge };

struct NumberOrFault {
  int64_t value = 0;
  std::optional<NumberFault> fault;
};

// Parses digits that are followed by the name of one of `units`. Overflow is the fault kTooLarge.
NumberOrFault ParseNumberWithUnit(std::string_view text, std::span<const NumberUnit> units);

}  // namespace jprof
