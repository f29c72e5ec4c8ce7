// Waits as events of the JDK, which end in fields for what the JDK's own do not tell.
#include "chunks/sample_events.h"
#include "engines/lock/lock_sampling.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

// What the three events have in common. The duration is the weight, so that sums of durations are
// unbiased in every reader; an event for a wait below the interval ends when that wait ended.
template <typename Event>
Event EventFrom(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns) {
  Event event;
  event.time_ns = time_ns;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.class_key = resolved.classes.KeyOf(payload.class_number);
  event.address = payload.hash;
  // A lost wait stands for itself alone.
  event.waited_ns = resolved.lost ? event.duration_ns : payload.waited_ns;
  event.is_unfinished = (payload.flags & LockPayload::kUnfinished) != 0;
  return event;
}

uint32_t KeyOf(const ResolvedSample& resolved, PayloadThread thread) {
  return thread == PayloadThread::kUnknown ? 0
                                           : resolved.threads.KeyOfMentioned(FromPayload(thread));
}

void WritePark(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns,
               JfrWriter& writer) {
  auto event = EventFrom<ThreadPark>(resolved, payload, time_ns);
  const bool is_deadline = (payload.flags & LockPayload::kIsDeadline) != 0;
  event.timeout_ns = is_deadline ? kNoTimeout : payload.timeout;
  event.until_epoch_ms = is_deadline ? payload.timeout : kNoTimeout;
  event.owner_key = KeyOf(resolved, payload.owner);
  event.waker_key = KeyOf(resolved, payload.waker);
  event.is_io = (payload.flags & LockPayload::kIsIo) != 0;
  writer.Append(event);
}

void WriteWait(const ResolvedSample& resolved, const LockPayload& payload, Nanos time_ns,
               JfrWriter& writer) {
  auto event = EventFrom<JavaMonitorWait>(resolved, payload, time_ns);
  event.notifier_key = KeyOf(resolved, payload.waker);
  event.timeout_ms = payload.timeout == kNoTimeout ? 0 : payload.timeout;
  event.is_timed_out = (payload.flags & LockPayload::kTimedOut) != 0;
  event.owner_key = KeyOf(resolved, payload.owner);
  event.is_class_initialization = (payload.flags & LockPayload::kIsClassInitialization) != 0;
  writer.Append(event);
}

void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  // Of a loss nothing but the weight is known.
  const LockPayload payload =
      resolved.lost ? LockPayload{} : resolved.sample.Payload<LockPayload>();
  const auto weight = static_cast<Nanos>(resolved.sample.weight);
  const Nanos time_ns =
      resolved.lost ? resolved.sample.time_ns : payload.start_ns + payload.waited_ns - weight;
  if (payload.type == WaitType::kPark) {
    WritePark(resolved, payload, time_ns, writer);
  } else if (payload.type == WaitType::kMonitorWait) {
    WriteWait(resolved, payload, time_ns, writer);
  } else {
    auto event = EventFrom<JavaMonitorEnter>(resolved, payload, time_ns);
    event.owner_key = KeyOf(resolved, payload.owner);
    writer.Append(event);
  }
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

extern const SampleEvents kLockSampleEvents{Write, Count};

}  // namespace jprof
