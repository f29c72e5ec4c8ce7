// ScaledText: a number in the largest of some units that gives at least 1.
//
// Thread-safe: no state.
#pragma once

#include <span>
#include <string>

namespace jprof {

// "512 bytes", "1.25 MB": two decimals, none of a whole number in the first unit. Each unit is
// `step` times the unit before it. REQUIRES: there are units.
std::string ScaledText(double number, double step, std::span<const char* const> units);

}  // namespace jprof
