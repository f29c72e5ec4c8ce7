// Wall samples as events: one profiler.WallClockSample each, with its weight; and, if cpu is not
// sampled, one jdk.ExecutionSample for a sample that found its thread running, which is the meaning
// of that event in the JDK's own recordings.
#include "chunks/execution_samples.h"
#include "chunks/sample_events.h"
#include "sigsafe/sampling/wall_payload.h"

namespace jprof {
namespace {

ThreadState StateOf(ThreadActivity activity) {
  switch (activity) {
    case ThreadActivity::kRunning:
      return ThreadState::kRunnable;
    case ThreadActivity::kWaitingForCpu:
      return ThreadState::kWaitingForCpu;
    case ThreadActivity::kSleeping:
      return ThreadState::kSleeping;
    case ThreadActivity::kParked:
      return ThreadState::kParked;
    case ThreadActivity::kInObjectWait:
      return ThreadState::kInObjectWait;
    case ThreadActivity::kBlockedOnMonitor:
      return ThreadState::kBlockedOnMonitor;
    case ThreadActivity::kInIo:
      return ThreadState::kInIo;
    case ThreadActivity::kDefault:
      break;
  }
  return ThreadState::kUnknown;
}

// The VM does not tell Thread.sleep from other timed waits.
ThreadActivity ActivityOf(const ResolvedSample& resolved, ThreadActivity sampled) {
  const bool sleeps =
      sampled == ThreadActivity::kParked && resolved.stacks.EndsInSleep(resolved.stack_key);
  return sleeps ? ThreadActivity::kSleeping : sampled;
}

void Write(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer) {
  // Of a loss nothing but the time is known.
  const auto weight_ns = static_cast<Nanos>(resolved.sample.weight);
  const WallPayload payload = resolved.lost ? WallPayload{weight_ns, ThreadActivity::kDefault}
                                            : resolved.sample.Payload<WallPayload>();
  const ThreadActivity activity = ActivityOf(resolved, payload.activity);
  WallClockSample event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.state = StateOf(activity);
  event.samples =
      static_cast<uint32_t>(settings.Reported(SampleKind::kWall, resolved.sample.weight));
  event.time_span_ns = payload.elapsed_ns;
  writer.Append(event);
  if (settings[SampleKind::kCpu].enabled() || activity != ThreadActivity::kRunning) return;
  WriteExecutionSamples(resolved, 1, writer);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

extern const SampleEvents kWallSampleEvents{Write, Count};

}  // namespace jprof
