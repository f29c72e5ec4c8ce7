// Sizes for people, by powers of 1024: kB, MB, GB mean the same in every answer, view and page.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

// "512 bytes", "1.25 MB", "-3.00 kB": in the largest unit up to PB that gives at least 1.
std::string SizeText(double bytes);

// "19 kB", rounded up.
std::string KilobytesText(uint64_t bytes);

// "1024 MB", rounded down: a limit, or progress.
std::string MegabytesText(uint64_t bytes);

}  // namespace jprof
