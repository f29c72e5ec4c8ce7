// Reports of the calls to traced methods: as lines at stop, as rows of the command `methods`, and
// as events at the end of a chunk.
//
// Thread-safe: the functions have no state. MethodKey and WriteCalls are called on the recorder's
// thread.
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

// Returns the key of a traced method in the recording; 0 if the number is of an earlier recording.
uint32_t MethodKey(uint32_t number, ConstantPools& pools);

struct CountedMethod {
  uint32_t number;  // number in TracedMethods
  MethodCounts counts;
};

// Returns a line for each method that was called, at most 20, sorted by total time, then by number
// of calls. Further lines tell how many methods and calls are not included. `uncounted` is the
// number of calls that could not be counted.
std::vector<std::string> CallSummary(std::span<const CountedMethod> methods, uint64_t uncounted);

// Returns the rows of the answer to the command `methods`.
std::vector<MethodCalls> CallsOf(std::span<const CountedMethod> methods);

// Writes events with the counts of all calls since the start. Called for each chunk: readers of
// jdk.MethodTiming use the last events of a method.
void WriteCalls(std::span<const CountedMethod> methods, Nanos now_ns, JfrWriter& writer);

}  // namespace jprof
