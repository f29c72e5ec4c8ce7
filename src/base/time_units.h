// The units of times in texts that people write and recordings hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace jprof {

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

}  // namespace jprof
