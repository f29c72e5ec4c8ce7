#include "chunks/sample_events.h"

namespace jprof {

void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count, JfrWriter& writer) {
  ExecutionSample event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  for (uint64_t i = 0; i < count; ++i) writer.Append(event);
}

}  // namespace jprof
