#include "engines/alloc/alloc_events.h"

#include <cmath>

#include "chunks/class_constants.h"
#include "chunks/sample_events.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

template <typename Event>
Event EventOf(const Allocation& allocation) {
  Event event;
  event.time_ns = allocation.time_ns;
  event.thread_key = allocation.thread_key;
  event.stack_key = allocation.stack_key;
  event.class_key = allocation.class_key;
  event.weight_bytes = allocation.weight_bytes;
  return event;
}

void WriteForReadersOfTlabs(const Allocation& allocation, JfrWriter& writer) {
  if (allocation.is_outside_tlab) {
    writer.Append(EventOf<ObjectAllocationOutsideTLAB>(allocation));
    return;
  }
  auto event = EventOf<ObjectAllocationInNewTLAB>(allocation);
  event.object_bytes = allocation.object_bytes;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 2; }

}  // namespace

Allocation AllocationOf(const ResolvedSample& resolved, int64_t interval_bytes) {
  // Only the weight of a loss is known.
  const AllocPayload payload =
      resolved.lost ? AllocPayload{} : resolved.sample.Payload<AllocPayload>();
  const double error =
      payload.interval_factor == 0
          ? 0
          : ObjectWeight::Of(payload.object_bytes, interval_bytes * payload.interval_factor)
                .standard_error;
  return {.time_ns = resolved.sample.time_ns,
          .thread_key = resolved.thread_key,
          .stack_key = resolved.stack_key,
          .class_key = resolved.classes.KeyOf(payload.class_number),
          .is_outside_tlab = payload.is_outside_tlab,
          .interval_factor = payload.interval_factor,
          .object_bytes = payload.object_bytes,
          .weight_bytes = resolved.sample.weight,
          .error_bytes = RoundedBytes(error)};
}

void WriteAllocation(const Allocation& allocation, AllocationEvents events, JfrWriter& writer) {
  if (events == AllocationEvents::kTlabPair) {
    WriteForReadersOfTlabs(allocation, writer);
  } else {
    writer.Append(EventOf<ObjectAllocationSample>(allocation));
  }
  auto object = EventOf<AllocatedObject>(allocation);
  object.object_bytes = allocation.object_bytes;
  object.error_bytes = allocation.error_bytes;
  writer.Append(object);
}

extern const SampleEvents kAllocSampleEvents{nullptr, Count};

}  // namespace jprof
