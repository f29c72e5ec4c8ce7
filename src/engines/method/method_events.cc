// Slow calls that were lost, as events; the others: held_calls.h.
#include "chunks/sample_events.h"
#include "engines/method/method_sampling.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

// Nothing is known of lost calls but the sum of their durations.
void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  MethodTrace event;
  event.time_ns = resolved.sample.time_ns;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

extern const SampleEvents kMethodSampleEvents{Write, Count};

}  // namespace jprof
