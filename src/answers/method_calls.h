// MethodCalls: the calls to a traced method, a row of the answer to the command `methods`.
//
// The text of a row, which is the value of a fact "methods[]":
//
//   calls exceptions total p50 p99 max name
//
// All numbers cover the time since the start of the recording. Times are in nanoseconds; they are
// -1 if calls to the method are only counted.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answers/agent_answer.h"
#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct MethodCalls {
  static constexpr Nanos kNotTimed = -1;

  uint64_t calls = 0;
  uint64_t exceptions = 0;
  Nanos total_ns = 0;
  Nanos p50_ns = 0;
  Nanos p99_ns = 0;
  Nanos longest_ns = 0;
  std::string name;
};

void AddMethodCalls(const std::vector<MethodCalls>& methods, AgentFacts& facts);

// Returns the calls in the facts, with printable names. Fails if a row does not have the form
// above.
Result<std::vector<MethodCalls>> MethodCallsOf(const AgentFacts& facts);

// Returns the rows in the facts, each as a printable line.
std::string MethodRows(const AgentFacts& facts);

}  // namespace jprof
