// A duration as people and JFR readers expect it: "10 ms", "500 us", "1 s", the largest unit that
// keeps it whole.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

std::string DurationText(int64_t nanos);

}  // namespace jprof
