// WriteExecutionSamples: `count` times jdk.ExecutionSample, for kinds with samples of running
// threads. The recorder's thread.
#pragma once

#include <cstdint>

#include "recording/jfr/jfr_writer.h"
#include "recording/sample_sink.h"

namespace jprof {

void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count, JfrWriter& writer);

}  // namespace jprof
