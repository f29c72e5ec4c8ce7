// MethodTable: a table of the calls of traced methods, from two answers of the agent.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Those with the most time first, then those with the most calls; calls per second are of the
// `elapsed_ns` since `before`. `width`: of the terminal, 0: none.
std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns, size_t width);

// Returns the same as an object of JSON, with times in nanoseconds: null where none is known.
std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns);

}  // namespace jprof
