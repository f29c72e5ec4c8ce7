// Trend, Mean: the growth and the mean of a noisy curve, with their errors.
#pragma once

#include <vector>

namespace jprof::test {

// Separates the growth of a curve from its noise. The curve is cut into ten parts of equal length:
// the slope of a line through their means is the growth, and their distances from the line give its
// error. Means of parts are used because neighbouring values of a process's memory are not
// independent.
struct Trend {
  double growth = 0;  // growth from the start of the curve to its end
  double noise = 0;   // three standard errors of the growth

  static Trend Of(const std::vector<double>& values);
};

// The mean of a curve and its standard error, from the means of ten such parts.
struct Mean {
  double value = 0;
  double error = 0;

  static Mean Of(const std::vector<double>& values);
};

}  // namespace jprof::test
