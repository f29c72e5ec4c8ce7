#include "base/proportion.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr double kTail = 0.025;

// Exp and Log are enough for this file, and work with an old glibc: exp() and log() would need glibc
// 2.29. Exp has an absolute error of 1e-16.
double Exp(double x) { return std::expm1(x) + 1; }
double Log(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  constexpr double kLog2 = 0.693147180559945309417;
  return std::log1p(mantissa - 1) + exponent * kLog2;
}

double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// Returns the continued fraction of the incomplete beta function, by Lentz's method (Press et al.:
// Numerical Recipes, 3rd edition, section 6.4).
double BetaFraction(double a, double b, double x) {
  constexpr int kMostTerms = 100'000;
  constexpr double kPrecision = 1e-12;
  constexpr double kTiny = 1e-300;
  const auto kept = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / kept(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return fraction;
}

// Returns the regularized incomplete beta function I_x(a, b). REQUIRES: a > 0, b > 0.
double RegularizedBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      Exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * Log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// Returns the proportion x at which I_x(a, b) is `probability`.
double InverseBeta(double a, double b, double probability) {
  constexpr int kHalvings = 100;
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (RegularizedBeta(a, b, middle) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace

// The probability of at least k hits in n trials is I_p(k, n - k + 1).
ProportionBounds ProportionInterval(uint64_t hits, uint64_t trials) {
  return ProportionInterval(static_cast<double>(hits), static_cast<double>(trials), kTail);
}

ProportionBounds ProportionInterval(double hits, double trials, double tail) {
  JPROF_CHECK(0 <= hits && hits <= trials);
  ProportionBounds interval;
  if (hits > 0) interval.low = InverseBeta(hits, trials - hits + 1, tail);
  if (hits < trials) interval.high = InverseBeta(hits + 1, trials - hits, 1 - tail);
  return interval;
}

std::string PercentAtMostText(double proportion) {
  const double percent = std::clamp(proportion, 0.0, 1.0) * 100;
  if (percent == 0) return "0 %";
  if (percent > 99) return "100 %";
  double unit = 1;  // that of the second digit
  int decimals = 0;
  while (percent < 10 * unit && decimals < 18) {
    unit /= 10;
    ++decimals;
  }
  // Without the small part, a number such as 0.12 would become 0.13, because 0.12 / 0.01 is not 12.
  constexpr double kInexact = 1e-9;
  char digits[64];
  snprintf(digits, sizeof digits, "%.*f", decimals, std::ceil(percent / unit - kInexact) * unit);
  std::string text(digits);
  if (decimals > 0) text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " %";
}

}  // namespace jprof
