#include "base/scaled_text.h"

#include <cmath>
#include <cstdio>

namespace jprof {

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
