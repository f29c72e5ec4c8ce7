// MethodTable: a table of the calls to traced methods, from two answers of the agent.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Returns the table. The methods with the most time come first, then those with the most calls. The
// calls per second are those of the `elapsed_ns` since `before`. `width`: the terminal's, to which
// lines are cut; 0: lines are not cut.
std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns, size_t width);

// Returns the methods as a JSON object, with times in nanoseconds: null for an unknown time.
std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns);

}  // namespace jprof
