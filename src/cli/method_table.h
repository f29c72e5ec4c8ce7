// MethodTable: the agent's answer to the command methods, and a table of two of them for people.
//
// A line of the answer, written by engines/method:
//
//   calls exceptions total p50 p99 max name      all since the start; times in nanoseconds, -1
//                                                where calls are counted alone
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct MethodCalls {
  uint64_t calls = 0;
  uint64_t exceptions = 0;
  Nanos total_ns = 0;
  Nanos p50_ns = 0;
  Nanos p99_ns = 0;
  Nanos longest_ns = 0;
  std::string name;
};

Result<std::vector<MethodCalls>> ParseMethodCalls(std::string_view answer);

// Those with the most time first, then those with the most calls; calls per second are of the
// `elapsed_ns` since `before`. `width`: of the terminal, 0: none.
std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns, size_t width);

// Returns the same as an object of JSON, with times in nanoseconds: null where none is known.
std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns);

}  // namespace jprof
