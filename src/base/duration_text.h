// A duration as people and JFR readers expect: "10 ms", "500 us", "1 s", in the largest unit that
// gives a whole number.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

std::string DurationText(int64_t nanos);

// For people, a measured one: "1.50 ms", "23.4 us", "150 s": three digits, of nanoseconds all.
std::string RoundedDurationText(int64_t nanos);

}  // namespace jprof
