#include "options/duration.h"

#include <array>
#include <iterator>
#include <span>

#include "base/duration_text.h"
#include "options/number_with_unit.h"

namespace jprof {
namespace {

// The number without unit first.
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

}  // namespace

Result<Nanos> ParseDuration(std::string_view text) { return Parse(text, kDurationUnits); }

Result<Nanos> ParseInterval(std::string_view text) { return Parse(text, kIntervalUnits); }

}  // namespace jprof
