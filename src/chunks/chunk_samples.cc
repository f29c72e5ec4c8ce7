#include <cstdint>

#include "base/memory_reserve.h"
#include "chunks/chunk_sequence.h"
#include "sigsafe/sampling/context_reader.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

// The elapsed time that our signal handlers have used on the program's threads.
struct HandlerCost {
  uint64_t handler_ns = 0;
  uint64_t walk_ns = 0;  // the part of handler_ns for stack walks
};

// Returns the cost since the last call, summed over all slots, and sets the cost in each slot to 0.
// Thread-safe; not for handlers.
HandlerCost TakeHandlerCost(ThreadSlots& slots) {
  HandlerCost cost;
  for (uint32_t i = 0; i < slots.HighWater(); ++i) {
    ThreadSlot& slot = *slots.At(i);
    // Most threads have no cost. This check avoids writing to the slots of sleeping threads.
    if (slot.handler_ns.load(std::memory_order_relaxed) == 0) continue;
    cost.handler_ns += slot.handler_ns.exchange(0, std::memory_order_relaxed);
    cost.walk_ns += slot.walk_ns.exchange(0, std::memory_order_relaxed);
  }
  return cost;
}

// Returns the time at which the thread had the name that the sample's event shows. A wall sample
// can stand for a sleep of minutes, and the thread can be renamed in its sleep; so the result is
// the start of the sleep. Any other sample stands for a moment, or for less time than passes
// between two readings of names; so the result is the time of the sample itself.
Nanos BeginOf(const Sample& sample) {
  if (RowOf(sample.kind).unit != WeightUnit::kElapsedTime) return sample.time_ns;
  return sample.time_ns - static_cast<Nanos>(sample.weight);
}

}  // namespace

ChunkSamples::ChunkSamples(const RecorderContext& context, const SampleSettings& settings,
                           JfrWriter& writer, MethodNames& methods, NativeNames& natives,
                           VirtualNames& virtual_names, ContextFields& contexts,
                           RecordingSummary& summary)
    : context_(context),
      settings_(settings),
      summary_(summary),
      writer_(writer),
      stacks_(context.traces, writer.pools(), methods, natives),
      threads_(context.registry.names(), virtual_names, writer.pools()),
      classes_(context.sampled_classes, writer.pools()),
      recording_(context.sample_events, context.participants, settings, contexts, writer),
      sinks_{&recording_} {
  sinks_.insert(sinks_.end(), context.sinks.begin(), context.sinks.end());
  stacks_.KeepNamesOfPreserved();
}

void ChunkSamples::Drain(uint32_t last_epoch, bool takes_losses, Nanos now_ns) {
  const auto resolve = [this](const Sample& sample) { Resolve(sample); };
  context_.samples.Drain(last_epoch, resolve);
  context_.off_thread.Drain(last_epoch, resolve);
  if (takes_losses || now_ns >= next_losses_ns_) TakeLosses(now_ns);
}

void ChunkSamples::Close(Nanos now_ns) {
  stacks_.WriteContents();
  for (const auto& [class_key, file] : stacks_.source_files()) {
    writer_.Append(ClassSource{now_ns, class_key, file});
  }
}

void ChunkSamples::Resolve(const Sample& sample) {
  if (MemoryIsShort()) return;  // a chunk is not sealed while memory is short
  const auto kind = static_cast<size_t>(sample.kind);
  const uint64_t weight = settings_.Reported(sample.kind, sample.weight);
  const uint32_t stack_key = stacks_.KeyOf(sample);
  summary_.recorded[kind] += weight;
  if (stacks_.HasGap(stack_key)) {
    summary_.with_gaps[kind] += weight;
    ++summary_.samples_with_gaps[kind];
  }
  Emit(sample, std::nullopt, stack_key);
}

void ChunkSamples::Emit(const Sample& sample, std::optional<LostReason> lost, uint32_t stack_key) {
  const ResolvedSample resolved{sample,    lost,     threads_.KeyAt(sample.thread, BeginOf(sample)),
                                stack_key, threads_, stacks_,
                                classes_};
  for (SampleSink* sink : sinks_) sink->OnSample(resolved);
}

void ChunkSamples::TakeLosses(Nanos now_ns) {
  next_losses_ns_ = now_ns + kNanosPerSecond;
  const HandlerCost handlers = TakeHandlerCost(context_.slots);
  summary_.handler_ns += static_cast<Nanos>(handlers.handler_ns);
  summary_.walk_ns += static_cast<Nanos>(handlers.walk_ns);
  for (const ThreadLoss& loss : context_.registry.TakeLosses()) Resolve(loss, now_ns);
  for (const SampleKindRow& row : kSampleKinds) {
    const uint64_t weight = LostWithoutThread(row.kind).exchange(0, std::memory_order_relaxed);
    summary_.lost_without_thread[static_cast<size_t>(row.kind)] +=
        settings_.Reported(row.kind, weight);
    summary_.outside[static_cast<size_t>(row.kind)] += settings_.Reported(
        row.kind, OutsideWindows(row.kind).exchange(0, std::memory_order_relaxed));
    summary_.without_root[static_cast<size_t>(row.kind)] +=
        SamplesWithoutRoot(row.kind).exchange(0, std::memory_order_relaxed);
  }
  MissingContexts& missing = TheMissingContexts();
  summary_.unknown_virtual_threads +=
      missing.unknown_virtual_thread.exchange(0, std::memory_order_relaxed);
  summary_.unstored_contexts += missing.no_room.exchange(0, std::memory_order_relaxed);
  summary_.refused_contexts += missing.no_memory.exchange(0, std::memory_order_relaxed);
  const SampleWindow& window = Sampling().window;
  if (window.IsLimited()) summary_.windows = window.CountsNow();
}

void ChunkSamples::Resolve(const ThreadLoss& loss, Nanos now_ns) {
  summary_.lost[static_cast<size_t>(loss.kind)][static_cast<size_t>(loss.reason)] +=
      settings_.Reported(loss.kind, loss.weight);
  Sample sample{};
  sample.time_ns = now_ns;
  sample.weight = loss.weight;
  sample.thread = SampledThread::Platform(loss.serial, loss.tid);
  sample.kind = loss.kind;
  Emit(sample, loss.reason, stacks_.KeyOfLost(loss.reason));
}

}  // namespace jprof
