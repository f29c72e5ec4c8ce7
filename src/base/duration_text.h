// A duration as people and JFR readers expect: "10 ms", "500 us", "1 s", in the largest unit that
// gives a whole number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

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

}  // namespace jprof
