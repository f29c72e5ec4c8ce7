#include "base/duration_text.h"

#include <array>

#include "base/scaled_text.h"

namespace jprof {

std::string DurationText(int64_t nanos) {
  struct Unit {
    int64_t nanos;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " us"}};
  for (const Unit& unit : kUnits) {
    const bool whole = nanos != 0 && nanos % unit.nanos == 0;
    if (whole) return std::to_string(nanos / unit.nanos) + unit.name;
  }
  return std::to_string(nanos) + " ns";
}

std::string RoundedDurationText(double nanos) {
  constexpr auto kUnits = std::to_array({"ns", "us", "ms", "s"});
  return ScaledText(nanos, 1e3, kUnits);
}

}  // namespace jprof
