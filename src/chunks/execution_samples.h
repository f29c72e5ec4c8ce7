// WriteExecutionSamples: `count` times jdk.ExecutionSample, for kinds with samples of running
// threads. The recorder's thread.
#pragma once

#include <cstdint>

#include "chunks/sample_sink.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof {

void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count, JfrWriter& writer);

}  // namespace jprof
