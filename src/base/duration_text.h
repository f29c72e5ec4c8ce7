// A duration as people and JFR readers expect: "10 ms", "500 us", "1 s", in the largest unit that
// gives a whole number.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

std::string DurationText(int64_t nanos);

}  // namespace jprof
