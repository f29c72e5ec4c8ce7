#include "session/options/duration.h"

#include <array>

#include "session/options/number_with_unit.h"

namespace jprof {
namespace {

constexpr auto kUnits = std::to_array<NumberUnit>({
    {"", 1},
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", kNanosPerSecond},
    {"m", 60 * kNanosPerSecond},
    {"h", 3600 * kNanosPerSecond},
});

}  // namespace

Result<Nanos> ParseDuration(std::string_view text) {
  const NumberOrFault number = ParseNumberWithUnit(text, kUnits);
  if (number.fault == NumberFault::kNotANumber) {
    return Error("is not a time: write a whole number and ns, us, ms, s, m or h, as in 10ms");
  }
  if (number.fault == NumberFault::kTooLarge) {
    return Error("is longer than any time the profiler can hold");
  }
  return number.value;
}

}  // namespace jprof
