#include "base/size_text.h"

#include <array>

#include "base/scaled_text.h"

namespace jprof {

std::string SizeText(double bytes) {
  constexpr auto kUnits = std::to_array({"bytes", "kB", "MB", "GB", "TB", "PB"});
  return ScaledText(bytes, 1024, kUnits);
}

std::string KilobytesText(uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " kB"; }

std::string MegabytesText(uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

}  // namespace jprof
