#include "recording/chunk_samples.h"

#include <string>

#include "base/modified_utf8.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

ThreadState StateOf(ThreadActivity activity) {
  switch (activity) {
    case ThreadActivity::kRunning:
      return ThreadState::kRunnable;
    case ThreadActivity::kSleeping:
      return ThreadState::kSleeping;
    case ThreadActivity::kDefault:
      break;
  }
  return ThreadState::kDefault;
}

}  // namespace

ChunkSamples::ChunkSamples(const RecorderContext& context, const RecordingPlan& plan,
                           JfrWriter& writer, MethodNames& methods, NativeNames& natives,
                           ThreadLives& lives, RecordingSummary& summary)
    : context_(context),
      plan_(plan),
      writer_(writer),
      natives_(natives),
      lives_(lives),
      summary_(summary),
      stacks_(context.traces, writer.pools(), methods, natives),
      threads_(context.registry, writer.pools()) {}

void ChunkSamples::Drain(uint32_t last_epoch, Nanos now_ns) {
  // Threads that ended before this moment have no samples to come: the drain below takes their
  // last.
  const std::vector<uint32_t> ended = context_.registry.Ended();
  threads_.BeginDrain();
  context_.samples.Drain(last_epoch, [this](const Sample& sample) { WriteSample(sample); });
  TakeLosses(now_ns);
  lives_.WriteTo(writer_, threads_);
  WriteLibraries(now_ns);
  context_.registry.ForgetEnded(ended);
  context_.classes.Expire(MonotonicNanos());
}

void ChunkSamples::Close() { stacks_.WriteContents(); }

void ChunkSamples::WriteSample(const Sample& sample) {
  summary_.recorded[static_cast<size_t>(sample.kind)] += sample.intervals;
  const Weighted weighted{sample.time_ns, threads_.KeyOf(sample.thread_serial, sample.tid),
                          stacks_.KeyOf(sample.trace), sample.intervals};
  if (sample.kind == SampleKind::kCpu) {
    WriteCpu(weighted);
  } else {
    WriteWall(weighted, sample.span_ns, sample.activity);
  }
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
  for (uint32_t i = 0; i < context_.records.HighWater(); ++i) {
    TakeLossesOf(*context_.records.At(i), now_ns);
  }
  for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kWall}) {
    summary_.lost_without_thread[static_cast<size_t>(kind)] +=
        LostWithoutThread(kind).exchange(0, std::memory_order_relaxed);
  }
}

void ChunkSamples::TakeLossesOf(ProfiledThread& thread, Nanos now_ns) {
  if (thread.handler_ns.load(std::memory_order_relaxed) != 0) {
    summary_.handler_ns +=
        static_cast<Nanos>(thread.handler_ns.exchange(0, std::memory_order_relaxed));
    summary_.walk_ns += static_cast<Nanos>(thread.walk_ns.exchange(0, std::memory_order_relaxed));
  }
  for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
    for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kWall}) {
      std::atomic<uint64_t>& count = thread.lost[static_cast<size_t>(kind)][reason];
      if (count.load(std::memory_order_relaxed) == 0) continue;
      const uint64_t intervals = count.exchange(0, std::memory_order_relaxed);
      summary_.lost[static_cast<size_t>(kind)][reason] += intervals;
      const Weighted weighted{now_ns,
                              threads_.KeyOf(thread.serial.load(std::memory_order_relaxed),
                                             thread.tid.load(std::memory_order_relaxed)),
                              stacks_.KeyOfLost(static_cast<LostReason>(reason)), intervals};
      if (kind == SampleKind::kCpu) {
        WriteCpu(weighted);
      } else {
        const Nanos span_ns = static_cast<Nanos>(intervals) * plan_.wall_interval_ns;
        WriteWall(weighted, span_ns, ThreadActivity::kDefault);
      }
    }
  }
}

void ChunkSamples::WriteLibraries(Nanos now_ns) {
  for (const Library& library : natives_.TakeNewLibraries()) {
    const std::string path = Utf8FromModifiedUtf8(library.path);
    writer_.Append(NativeLibrary{now_ns, path, library.base, library.top, library.build_id});
  }
}

}  // namespace jprof
