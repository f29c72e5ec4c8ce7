#include "base/duration_text.h"

#include <cstdio>

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

std::string RoundedDurationText(int64_t nanos) {
  struct Unit {
    double nanos;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  const auto value = static_cast<double>(nanos);
  for (const Unit& unit : kUnits) {
    if (value < unit.nanos) continue;
    const double in_unit = value / unit.nanos;
    const int digits = in_unit < 9.995 ? 2 : in_unit < 99.95 ? 1 : 0;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %s", digits, in_unit, unit.name);
    return text;
  }
  return std::to_string(nanos) + " ns";
}

}  // namespace jprof
