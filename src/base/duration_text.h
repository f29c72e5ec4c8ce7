// A duration as people and JFR readers expect: "10 ms", "500 us", "1 s", in the largest unit that
// gives a whole number.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

std::string DurationText(int64_t nanos);

// For people, a measured one: "1.50 ms", "234.50 us", "150.00 s", "12 ns": two decimals, none of a
// whole number of nanoseconds.
std::string RoundedDurationText(double nanos);

}  // namespace jprof
