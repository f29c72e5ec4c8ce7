// ChunkSamples: resolves samples, for the open chunk and for other consumers (SampleSink). One
// object per chunk, because stack keys are valid in one chunk.
//
// The recorder's thread, attached to the JVM.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "chunks/context_fields.h"
#include "chunks/native_names.h"
#include "chunks/recorder_context.h"
#include "chunks/recording_summary.h"
#include "chunks/sample_events.h"
#include "chunks/sample_sink.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_writer.h"
#include "jvm/method_names.h"

namespace jprof {

class ChunkSamples {
 public:
  ChunkSamples(const RecorderContext& context, const SampleSettings& settings, JfrWriter& writer,
               MethodNames& methods, NativeNames& natives, VirtualNames& virtual_names,
               ContextFields& contexts, RecordingSummary& summary);

  // The last epoch of a drain, except for the last drain of a chunk that ends an epoch.
  static constexpr uint32_t kAllEpochs = std::numeric_limits<uint32_t>::max();

  // Called before the first event of a drain: threads are looked up anew.
  void BeginDrain() { threads_.BeginDrain(); }

  // The next drain is the chunk's last. Also at the stop, where no epoch ends any more.
  void BeginLastDrain() { next_losses_ns_ = 0; }

  // Takes the published samples of epochs up to `last_epoch`, and losses, dated `now_ns`. Losses
  // are taken once a second, with the last drain of the chunk, and when `takes_losses`: when
  // threads have ended, which are dropped afterwards, and when a participant asks for them.
  void Drain(uint32_t last_epoch, bool takes_losses, Nanos now_ns);

  // The keys of threads in this drain, and of stacks.
  ThreadConstants& threads() { return threads_; }
  StackConstants& stacks() { return stacks_; }

  // Completes the stacks, and names the source files of their classes. No sample may follow.
  void Close(Nanos now_ns);

 private:
  void Resolve(const Sample& sample);
  void Resolve(const ThreadLoss& loss, Nanos now_ns);
  void Emit(const Sample& sample, std::optional<LostReason> lost, uint32_t stack_key);
  // Reads every thread's slot.
  void TakeLosses(Nanos now_ns);

  const RecorderContext& context_;
  const SampleSettings& settings_;
  RecordingSummary& summary_;
  JfrWriter& writer_;
  StackConstants stacks_;
  ThreadConstants threads_;
  ClassConstants classes_;
  JfrSampleSink recording_;
  std::vector<SampleSink*> sinks_;
  Nanos next_losses_ns_ = 0;
};

}  // namespace jprof
