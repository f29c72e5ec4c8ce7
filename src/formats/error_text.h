// ErrorText: the error of an estimate as text. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// Returns the standard error as a share of the estimate, to two digits: "± 3.1 %". Empty if the
// variance is unknown (NaN) or the estimate is not positive.
std::string ErrorText(double estimate, double variance);

}  // namespace jprof
