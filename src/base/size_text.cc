#include "base/size_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace jprof {

std::string SizeText(double bytes) {
  constexpr auto kUnits = std::to_array({"bytes", "kB", "MB", "GB", "TB", "PB"});
  size_t unit = 0;
  while (std::fabs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool is_whole = unit == 0 && bytes == std::floor(bytes);
  char text[400];  // the longest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f %s", is_whole ? 0 : 2, bytes, kUnits[unit]);
  return text;
}

std::string KilobytesText(uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " kB"; }

std::string MegabytesText(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

}  // namespace jprof
