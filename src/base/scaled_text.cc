#include "base/scaled_text.h"

#include <array>
#include <cmath>
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

std::string RoundedDurationText(double nanos) {
  constexpr auto kUnits = std::to_array({"ns", "us", "ms", "s"});
  return ScaledText(nanos, 1e3, kUnits);
}

std::string SizeText(double bytes) {
  constexpr auto kUnits = std::to_array({"bytes", "kB", "MB", "GB", "TB", "PB"});
  return ScaledText(bytes, 1024, kUnits);
}

std::string KilobytesText(uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " kB"; }

std::string MegabytesText(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string ScaledText(double number, double step, std::span<const char* const> units) {
  size_t unit = 0;
  while (std::fabs(number) >= step && unit + 1 < units.size()) {
    number /= step;
    ++unit;
  }
  const bool is_whole = unit == 0 && number == std::floor(number);
  char text[400];  // the longest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f %s", is_whole ? 0 : 2, number, units[unit]);
  return text;
}

}  // namespace jprof
