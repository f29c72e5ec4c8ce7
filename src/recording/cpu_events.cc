#include "recording/cpu_events.h"

#include "recording/sample_events.h"

namespace jprof {
namespace {

// One event for each interval.
uint64_t Count(uint64_t weight, const SampleSettings& settings) {
  return settings.Reported(SampleKind::kCpu, weight);
}

void Write(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer) {
  WriteExecutionSamples(resolved, Count(resolved.sample.weight, settings), writer);
}

}  // namespace

const SampleEvents kCpuSampleEvents{Write, Count};

void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count, JfrWriter& writer) {
  ExecutionSample event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  for (uint64_t i = 0; i < count; ++i) writer.Append(event);
}

}  // namespace jprof
