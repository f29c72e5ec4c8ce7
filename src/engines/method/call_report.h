// CallReport: the calls of traced methods as lines at stop, as rows of the command `methods`, and as
// events at the end of a chunk.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "engines/method/probe_class.h"
#include "jfr/writer/constant_pools.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof {

// MethodKey: the key of a traced method in the recording.
//
// The recorder's thread.

// 0: the number is of a recording before.
uint32_t MethodKey(uint32_t number, ConstantPools& pools);

struct CountedMethod {
  uint32_t number;  // TracedMethods
  MethodCounts counts;
};

// Those that took the most time, then those that were called most. `uncounted`: calls that are in
// no count.
std::vector<std::string> CallSummary(std::span<const CountedMethod> methods, uint64_t uncounted);

// The rows of the answer to the command `methods`.
std::vector<MethodCalls> CallsOf(std::span<const CountedMethod> methods);

// Of all calls since the start, in each chunk: readers of jdk.MethodTiming take the last ones.
void WriteCalls(std::span<const CountedMethod> methods, Nanos now_ns, JfrWriter& writer);

}  // namespace jprof
