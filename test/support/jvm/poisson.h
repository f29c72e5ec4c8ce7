// The range of a count that is Poisson distributed: the bounds of tests of sampled figures.
#pragma once

namespace jprof::test {

struct CountRange {
  double least;
  double most;
};

// The range that a right program leaves in less than one of 100 000 runs on each side, in counts.
// From 30 expected counts on the range is 4.3 standard errors wide on each side. `expected` is
// positive.
CountRange LikelyCounts(double expected);

}  // namespace jprof::test
