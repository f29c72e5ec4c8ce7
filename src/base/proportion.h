// ProportionInterval: how well a sample determines a proportion, such as the rate of wrong stacks.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

struct ProportionBounds {
  double low = 0;
  double high = 1;
};

// Returns the 95 % interval of Clopper and Pearson for the proportion of which `hits` in `trials`
// were observed. The interval is exact: for each proportion outside of it, so few or so many hits
// have a probability of less than 2.5 %. Without trials, the interval is [0, 1]. REQUIRES: hits <=
// trials.
ProportionBounds ProportionInterval(uint64_t hits, uint64_t trials);

// Returns such an interval for a probability of less than `tail` on each side, instead of 2.5 %.
// The numbers need not be whole: samples that are not independent count as fewer ones. REQUIRES:
// 0 <= hits <= trials, 0 < tail < 0.5.
ProportionBounds ProportionInterval(double hits, double trials, double tail);

// Returns a proportion as a percentage that is rounded up to two significant digits, such as
// "0.0037 %" or "100 %".
std::string PercentAtMostText(double proportion);

}  // namespace jprof
