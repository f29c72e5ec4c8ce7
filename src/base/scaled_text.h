// Durations, sizes and other numbers as text with a unit: "10 ms", "1.25 MB".
//
// Sizes use powers of 1024: kB, MB and GB mean the same in every answer, view and page.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jprof {

// A unit of time. Its name is the one that people write and that recordings contain.
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

// Returns an exact duration as people and JFR readers expect it: "10 ms", "500 us", "1 s", in the
// largest unit up to seconds that gives a whole number.
std::string DurationText(int64_t nanos);

// Returns a measured duration for people: "1.50 ms", "234.50 us", "150.00 s", "12 ns". It has two
// decimals, or none if it is a whole number of nanoseconds below 1 us.
std::string RoundedDurationText(double nanos);

// Returns a size in the largest unit up to PB that gives at least 1: "512 bytes" or "1.25 MB".
std::string SizeText(double bytes);

// Returns a size in kB, rounded up: "19 kB".
std::string KilobytesText(uint64_t bytes);

// Returns a size in MB, rounded down, for a limit or for progress: "1024 MB".
std::string MegabytesText(uint64_t bytes);

// Returns a number in the largest unit that gives at least 1: "512 bytes", "1.25 MB". It has two
// decimals, or none if it is a whole number in the first unit. Each unit is `step` times the unit
// before it. REQUIRES: there are units.
std::string ScaledText(double number, double step, std::span<const char* const> units);

}  // namespace jprof
