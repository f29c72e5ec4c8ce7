// Slow calls as events: a jdk.MethodTrace each, and beside it, with the same time, thread and
// method, a profiler.MethodExit for what the JDK's event has no field for.
#include "engines/trace/method_key.h"
#include "engines/trace/method_sampling.h"
#include "engines/trace/traced_methods.h"
#include "recording/jfr/jfr_events.h"
#include "recording/sample_events.h"

namespace jprof {
namespace {

void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  MethodTrace event;
  event.time_ns = resolved.sample.time_ns;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  if (resolved.lost) {  // nothing is known but the sum of the durations
    writer.Append(event);
    return;
  }
  const auto payload = resolved.sample.Payload<MethodPayload>();
  event.time_ns = payload.start_ns;
  event.method_key = MethodKey(payload.number, writer.pools());
  writer.Append(event);
  MethodExit exit;
  exit.time_ns = event.time_ns;
  exit.thread_key = event.thread_key;
  exit.method_key = event.method_key;
  exit.is_exception = payload.is_exception;
  exit.thrown_key = resolved.classes.KeyOf(payload.thrown_class);
  writer.Append(exit);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 2; }

}  // namespace

extern const SampleEvents kMethodSampleEvents{Write, Count};

}  // namespace jprof
