// LikelyCounts: the likely range of a Poisson distributed count, for tests of sampled numbers.
#pragma once

namespace jprof::test {

struct CountRange {
  double least;
  double most;
};

// Returns the range outside of which the count of a correct program lies in less than one of 100
// 000 runs on each side. If at least 30 counts are expected, the range reaches 4.3 standard errors
// to each side. REQUIRES: `expected` is positive.
CountRange LikelyCounts(double expected);

}  // namespace jprof::test
