// Cpu samples as events: one jdk.ExecutionSample for each interval.
#include "chunks/execution_samples.h"
#include "chunks/sample_events.h"

namespace jprof {
namespace {

uint64_t Count(uint64_t weight, const SampleSettings& settings) {
  return settings.Reported(SampleKind::kCpu, weight);
}

void Write(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer) {
  WriteExecutionSamples(resolved, Count(resolved.sample.weight, settings), writer);
}

}  // namespace

extern const SampleEvents kCpuSampleEvents{Write, Count};

}  // namespace jprof
