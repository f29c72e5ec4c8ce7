// Trend: whether a curve grows, told from its noise.
#pragma once

#include <vector>

namespace jprof::test {

// The curve is cut into ten parts of equal length; a line through their means is its growth, and
// their distances from the line say by how much such a line errs. Means of parts, for neighbouring
// values of a process's memory are not independent.
struct Trend {
  double growth = 0;  // from the curve's begin to its end
  double noise = 0;   // three standard errors of that

  static Trend Of(const std::vector<double>& values);
};

// The mean of a curve, and its standard error, from the means of such parts.
struct Mean {
  double value = 0;
  double error = 0;

  static Mean Of(const std::vector<double>& values);
};

}  // namespace jprof::test
