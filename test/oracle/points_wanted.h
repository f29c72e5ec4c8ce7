// PointsWanted: at how many interrupted points a comparison is made: a few, or $JPROF_ORACLE_POINTS
// in the long tier.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace jprof::test {

inline size_t PointsWanted() {
  const char* wanted = getenv("JPROF_ORACLE_POINTS");
  return wanted == nullptr ? 400 : strtoul(wanted, nullptr, 10);
}

}  // namespace jprof::test
