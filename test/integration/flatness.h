// Trend and Mean: the growth and the mean of a noisy curve, with their standard errors.
#pragma once

#include <vector>

namespace jprof::test {

// A Trend separates the growth of a curve from its noise. It cuts the curve into ten parts of equal
// length. The growth is the slope of a line through the means of the parts; the distances of the
// means from the line give its error. Single values are not used because neighbouring values of a
// process's memory depend on each other.
struct Trend {
  double growth = 0;  // growth from the start of the curve to its end
  double noise = 0;   // three standard errors of the growth

  static Trend Of(const std::vector<double>& values);
};

// The mean of a curve and its standard error, computed from the means of ten equal parts as in
// Trend.
struct Mean {
  double value = 0;
  double error = 0;

  static Mean Of(const std::vector<double>& values);
};

}  // namespace jprof::test
