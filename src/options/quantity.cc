#include "options/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <span>
#include <system_error>

#include "base/scaled_text.h"

namespace jprof {
namespace {

// Returns the units of time. The first one, `bare` nanoseconds, is for numbers that are written
// without a unit.
constexpr auto UnitsWithBare(int64_t bare) {
  std::array<NumberUnit, std::size(kTimeUnits) + 1> units = {{{"", bare}}};
  for (size_t i = 0; i < std::size(kTimeUnits); ++i) {
    units[i + 1] = {kTimeUnits[i].name, kTimeUnits[i].nanos};
  }
  return units;
}

constexpr auto kDurationUnits = UnitsWithBare(kNanosPerSecond);
constexpr auto kIntervalUnits = UnitsWithBare(1);

Result<Nanos> Parse(std::string_view text, std::span<const NumberUnit> units) {
  const NumberOrFault number = ParseNumberWithUnit(text, units);
  if (number.fault == NumberFault::kNotANumber) {
    return Error("is not a time: write a whole number and ns, us, ms, s, m or h, as in 10ms");
  }
  if (number.fault == NumberFault::kTooLarge) {
    return Error("is longer than any time the profiler can hold");
  }
  return number.value;
}

constexpr auto kUnits = std::to_array<NumberUnit>({
    {"", 1},
    {"k", int64_t{1} << 10},
    {"m", int64_t{1} << 20},
    {"g", int64_t{1} << 30},
});

}  // namespace

Result<Nanos> ParseDuration(std::string_view text) { return Parse(text, kDurationUnits); }

Result<Nanos> ParseInterval(std::string_view text) { return Parse(text, kIntervalUnits); }

Result<int64_t> ParseByteSize(std::string_view text) {
  const NumberOrFault number = ParseNumberWithUnit(text, kUnits);
  if (number.fault == NumberFault::kNotANumber) {
    return Error("is not a size: write a whole number and k, m or g, as in 64m");
  }
  if (number.fault == NumberFault::kTooLarge) return Error("is more than any memory");
  return number.value;
}

Result<double> ParseShare(std::string_view text) {
  constexpr size_t kMostDigits = 9;  // of each part, so that the number is exact
  const bool is_percentage = text.ends_with('%');
  const std::string_view number = text.substr(0, text.size() - (is_percentage ? 1 : 0));
  const size_t dot = std::min(number.find('.'), number.size());
  const std::string_view fraction = number.substr(std::min(dot + 1, number.size()));
  uint64_t digits = 0;
  double scale = 1;
  bool is_number = 0 < dot && dot <= kMostDigits && fraction.size() <= kMostDigits &&
                   (dot == number.size() || !fraction.empty());
  for (size_t i = 0; i < number.size() && is_number; ++i) {
    if (i == dot) continue;
    is_number = '0' <= number[i] && number[i] <= '9';
    digits = digits * 10 + static_cast<uint64_t>(number[i] - '0');
    if (i > dot) scale *= 10;
  }
  if (!is_number) {
    return Error("is not a share: write a percentage such as 1%, or a number below 1 such as 0.01");
  }
  const double value = static_cast<double>(digits) / scale;
  if (is_percentage && value <= 100) return value / 100;
  if (is_percentage) return Error("is more than 100%");
  if (value >= 1) return Error("is not below 1: write a larger share with %, as in 1% or 100%");
  return value;
}

NumberOrFault ParseNumberWithUnit(std::string_view text, std::span<const NumberUnit> units) {
  // Unsigned, so that from_chars takes no sign.
  uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  const std::string_view suffix(rest, static_cast<size_t>(end - rest));
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [suffix](const NumberUnit& each) { return each.name == suffix; });
  if (status == std::errc::invalid_argument || unit == units.end()) {
    return {0, NumberFault::kNotANumber};
  }
  const auto largest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / unit->factor);
  if (status == std::errc::result_out_of_range || count > largest) {
    return {0, NumberFault::kTooLarge};
  }
  return {static_cast<int64_t>(count) * unit->factor, std::nullopt};
}

}  // namespace jprof
