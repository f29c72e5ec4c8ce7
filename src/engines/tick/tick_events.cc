// Ticks as events: one profiler.Tick each.
#include "engines/tick/tick_engine.h"
#include "engines/tick/tick_sampling.h"
#include "recording/class_constants.h"
#include "recording/jfr/jfr_events.h"

namespace jprof {
namespace {

void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  // Of a loss nothing but the weight is known.
  const TickPayload payload =
      resolved.lost ? TickPayload{} : resolved.sample.Payload<TickPayload>();
  Tick event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.class_key = resolved.classes.KeyOf(payload.class_number);
  event.object_bytes = payload.object_bytes;
  event.weight_bytes = resolved.sample.weight;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

const SampleEvents kTickSampleEvents{Write, Count};

}  // namespace jprof
