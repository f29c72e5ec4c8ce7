// ScaledText: a number in the largest of some units that gives at least 1.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jprof {

// A duration as people and JFR readers expect: "10 ms", "500 us", "1 s", in the largest unit that
// gives a whole number.

// The units of times in texts that people write and recordings hold.
struct TimeUnit {
  std::string_view name;
  int64_t nanos;
};

inline constexpr TimeUnit kTimeUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
};

std::string DurationText(int64_t nanos);

// For people, a measured one: "1.50 ms", "234.50 us", "150.00 s", "12 ns": two decimals, none of a
// whole number of nanoseconds.
std::string RoundedDurationText(double nanos);

// Sizes for people, by powers of 1024: kB, MB, GB mean the same in every answer, view and page.
//
//

// "512 bytes", "1.25 MB", "-3.00 kB": in the largest unit up to PB that gives at least 1.
std::string SizeText(double bytes);

// "19 kB", rounded up.
std::string KilobytesText(uint64_t bytes);

// "1024 MB", rounded down: a limit, or progress.
std::string MegabytesText(uint64_t bytes);

// "512 bytes", "1.25 MB": two decimals, none of a whole number in the first unit. Each unit is
// `step` times the unit before it. REQUIRES: there are units.
std::string ScaledText(double number, double step, std::span<const char* const> units);

}  // namespace jprof
