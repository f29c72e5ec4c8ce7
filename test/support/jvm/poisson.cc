#include "support/jvm/poisson.h"

#include <cmath>

namespace jprof::test {
namespace {

constexpr double kUnlikely = 1e-5;
constexpr double kManyCounts = 30;
// The quantile of the normal distribution for the probability kUnlikely, rounded up.
constexpr double kStandardErrors = 4.3;

double Probability(double expected, double count) {
  return std::exp(count * std::log(expected) - expected - std::lgamma(count + 1));
}

}  // namespace

CountRange LikelyCounts(double expected) {
  if (expected >= kManyCounts) {
    const double width = kStandardErrors * std::sqrt(expected);
    return {expected - width, expected + width};
  }
  CountRange range{0, 0};
  double at_most = 0;  // probability of at most `most` counts
  for (;; ++range.most) {
    at_most += Probability(expected, range.most);
    if (at_most <= kUnlikely) range.least = range.most + 1;
    if (at_most >= 1 - kUnlikely) return range;
  }
}

}  // namespace jprof::test
