// The one line each that a user sees at start and at stop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "recording/recording_summary.h"

namespace jprof {

// "recording cpu every 10 ms, wall every 50 ms to /abs/out.jfr"
std::string StartLine(const std::vector<std::unique_ptr<Engine>>& engines, const std::string& path);

// "stopped: 1234 samples (1000 cpu, 234 wall), 5 lost (5 sample buffers full) in /abs/out.jfr".
// Samples are counted in intervals, as their weight in the recording is.
std::string StopLine(const RecordingSummary& summary, const std::string& path);

}  // namespace jprof
