#include "recording/chunk_samples.h"

#include "base/memory_reserve.h"
#include "sigsafe/sampling/sampling_state.h"

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

}  // namespace

ChunkSamples::ChunkSamples(const RecorderContext& context, const RecordingPlan& plan,
                           JfrWriter& writer, MethodNames& methods, NativeNames& natives,
                           VirtualNames& virtual_names, RecordingSummary& summary)
    : context_(context),
      plan_(plan),
      writer_(writer),
      summary_(summary),
      stacks_(context.traces, writer.pools(), methods, natives),
      threads_(context.registry, virtual_names, writer.pools()) {
  stacks_.KeepNamesOfPreserved();
}

void ChunkSamples::Drain(uint32_t last_epoch, const std::vector<uint32_t>& ended, Nanos now_ns) {
  const auto write = [this](const Sample& sample) { WriteSample(sample); };
  context_.samples.Drain(last_epoch, write);
  context_.outside.Drain(last_epoch, write);
  if (last_epoch != kAllEpochs || !ended.empty() || now_ns >= next_losses_ns_) TakeLosses(now_ns);
}

void ChunkSamples::Close() { stacks_.WriteContents(); }

void ChunkSamples::WriteSample(const Sample& sample) {
  if (MemoryIsShort()) return;  // the chunk will not be sealed
  summary_.recorded[static_cast<size_t>(sample.kind)] += sample.intervals;
  const uint32_t thread_key = sample.virtual_thread != 0
                                  ? threads_.KeyOfVirtual(sample.virtual_thread)
                                  : threads_.KeyOf(sample.thread_serial, sample.tid);
  const Weighted weighted{sample.time_ns, thread_key, stacks_.KeyOf(sample.trace),
                          sample.intervals};
  if (sample.kind == SampleKind::kCpu) {
    WriteCpu(weighted);
    return;
  }
  const bool sleeps =
      sample.activity == ThreadActivity::kParked && stacks_.EndsInSleep(weighted.stack_key);
  WriteWall(weighted, sample.span_ns, sleeps ? ThreadActivity::kSleeping : sample.activity);
}

void ChunkSamples::WriteCpu(const Weighted& weighted) {
  ExecutionSample event;
  event.time_ns = weighted.time_ns;
  event.thread_key = weighted.thread_key;
  event.stack_key = weighted.stack_key;
  for (uint64_t i = 0; i < weighted.intervals; ++i) writer_.Append(event);
}

void ChunkSamples::WriteWall(const Weighted& weighted, Nanos span_ns, ThreadActivity activity) {
  WallClockSample event;
  event.time_ns = weighted.time_ns;
  event.thread_key = weighted.thread_key;
  event.stack_key = weighted.stack_key;
  event.state = StateOf(activity);
  event.samples = static_cast<uint32_t>(weighted.intervals);
  event.time_span_ns = span_ns;
  writer_.Append(event);
  if (plan_.cpu_interval_ns != 0 || activity != ThreadActivity::kRunning) return;
  WriteCpu({weighted.time_ns, weighted.thread_key, weighted.stack_key, 1});
}

void ChunkSamples::TakeLosses(Nanos now_ns) {
  next_losses_ns_ = now_ns + kNanosPerSecond;
  const HandlerCost handlers = context_.registry.TakeHandlerCost();
  summary_.handler_ns += static_cast<Nanos>(handlers.handler_ns);
  summary_.walk_ns += static_cast<Nanos>(handlers.walk_ns);
  for (const ThreadLoss& loss : context_.registry.TakeLosses()) WriteLoss(loss, now_ns);
  for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kWall}) {
    summary_.lost_without_thread[static_cast<size_t>(kind)] +=
        LostWithoutThread(kind).exchange(0, std::memory_order_relaxed);
  }
}

void ChunkSamples::WriteLoss(const ThreadLoss& loss, Nanos now_ns) {
  summary_.lost[static_cast<size_t>(loss.kind)][static_cast<size_t>(loss.reason)] += loss.intervals;
  const Weighted weighted{now_ns, threads_.KeyOf(loss.serial, loss.tid),
                          stacks_.KeyOfLost(loss.reason), loss.intervals};
  if (loss.kind == SampleKind::kCpu) {
    WriteCpu(weighted);
  } else {
    const Nanos span_ns = static_cast<Nanos>(loss.intervals) * plan_.wall_interval_ns;
    WriteWall(weighted, span_ns, ThreadActivity::kDefault);
  }
}

}  // namespace jprof
