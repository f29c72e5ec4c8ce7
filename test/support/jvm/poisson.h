// The range of a count that is Poisson distributed: the bounds for tests of sampled numbers.
#pragma once

namespace jprof::test {

struct CountRange {
  double least;
  double most;
};

// Returns the range that a correct program leaves in less than one of 100 000 runs on each side.
// From 30 expected counts on, the range is 4.3 standard errors wide on each side. REQUIRES:
// `expected` is positive.
CountRange LikelyCounts(double expected);

}  // namespace jprof::test
