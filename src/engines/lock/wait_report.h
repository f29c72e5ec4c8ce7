// What the exact sums of waits look like: for the answers to stop and status, and in a recording.
//
// Any thread; WriteWaitCounters: the recorder's. No state.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engines/lock/wait_totals.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof {

using WaitSumsByType = std::array<WaitSums, kWaitTypeCount>;

// A line for each type that has waits. `interval_ns`: below it waits are short.
std::vector<std::string> WaitLines(const WaitSumsByType& all, Nanos interval_ns);

// The same as profiler.Counter.
void WriteWaitCounters(const WaitSumsByType& all, Nanos now_ns, JfrWriter& writer);

}  // namespace jprof
