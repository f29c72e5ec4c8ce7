// ParseNumberWithUnit: the common part of times and sizes: digits, then one unit of a table.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace jprof {

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
