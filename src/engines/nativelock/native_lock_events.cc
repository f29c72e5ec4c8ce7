// A native wait as async-profiler's event for it, and beside it, with the same time and thread, a
// profiler.LockWait, as the waits of engines/lock have.
#include "engines/nativelock/native_lock_engine.h"
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
  writer.Append(event);
  if (resolved.lost) return;
  LockWait wait;
  wait.time_ns = event.time_ns;
  wait.thread_key = resolved.thread_key;
  wait.waited_ns = payload.waited_ns;
  if (payload.owner != PayloadThread::kUnknown) {
    wait.owner_key = resolved.threads.KeyOfMentioned(FromPayload(payload.owner));
  }
  wait.is_unfinished = (payload.flags & NativeLockPayload::kUnfinished) != 0;
  writer.Append(wait);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 2; }

}  // namespace

extern const SampleEvents kNativeLockSampleEvents{Write, Count};

}  // namespace jprof
