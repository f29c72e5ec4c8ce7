#include "base/duration_text.h"

namespace jprof {

std::string DurationText(int64_t nanos) {
  struct Unit {
    int64_t nanos;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " us"}};
  for (const Unit& unit : kUnits) {
    const bool whole = nanos != 0 && nanos % unit.nanos == 0;
    if (whole) return std::to_string(nanos / unit.nanos) + unit.name;
  }
  return std::to_string(nanos) + " ns";
}

}  // namespace jprof
