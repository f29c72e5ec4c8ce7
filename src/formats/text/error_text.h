// ErrorText: how sure an estimate is, for people. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// "± 3.1 %": the standard error as a share of the estimate, to two digits. Empty if the variance is
// not known, or of an estimate of nothing.
std::string ErrorText(double estimate, double variance);

}  // namespace jprof
