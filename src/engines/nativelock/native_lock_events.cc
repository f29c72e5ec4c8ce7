// A native wait as async-profiler's event for it, which ends in what the waits of engines/lock tell.
#include "chunks/sample_events.h"
#include "engines/nativelock/native_lock_sampling.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

// The duration is the weight; an event for a wait below the interval ends when that wait ended.
void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  // Of a loss nothing but the weight is known.
  const NativeLockPayload payload =
      resolved.lost ? NativeLockPayload{} : resolved.sample.Payload<NativeLockPayload>();
  NativeLock event;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.time_ns = resolved.lost ? resolved.sample.time_ns
                                : payload.start_ns + payload.waited_ns - event.duration_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.address = static_cast<int64_t>(payload.address);
  event.operation = resolved.lost ? "" : NameOf(payload.type);
  event.waited_ns = resolved.lost ? event.duration_ns : payload.waited_ns;
  if (payload.owner != PayloadThread::kUnknown) {
    event.owner_key = resolved.threads.KeyOfMentioned(FromPayload(payload.owner));
  }
  event.is_unfinished = (payload.flags & NativeLockPayload::kUnfinished) != 0;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

extern const SampleEvents kNativeLockSampleEvents{Write, Count};

}  // namespace jprof
