// ChunkSamples: resolves the samples and losses of one chunk, and passes them to the recording and
// to the other sinks (SampleSink).
//
// There is one object per chunk, because stack keys are valid in one chunk. Runs on the recorder's
// thread, attached to the JVM.
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

  // The `last_epoch` of a drain that does not end an epoch.
  static constexpr uint32_t kAllEpochs = std::numeric_limits<uint32_t>::max();

  // Looks up threads anew. Called before the first event of a drain.
  void BeginDrain() { threads_.BeginDrain(); }

  // Makes the next drain, the chunk's last one, take losses.
  void BeginLastDrain() { next_losses_ns_ = 0; }

  // Takes the published samples of epochs up to `last_epoch`, and losses, which are dated `now_ns`.
  // Losses are taken once a second, with the last drain of the chunk, and if `takes_losses`: when
  // threads have ended, which are dropped afterwards, or when a participant asks for losses.
  void Drain(uint32_t last_epoch, bool takes_losses, Nanos now_ns);

  // Return the keys of threads in this drain, and the keys of stacks.
  ThreadConstants& threads() { return threads_; }
  StackConstants& stacks() { return stacks_; }

  // Completes the stacks, and writes the source files of their classes. REQUIRES: no sample
  // follows.
  void Close(Nanos now_ns);

 private:
  void Resolve(const Sample& sample);
  void Resolve(const ThreadLoss& loss, Nanos now_ns);
  void Emit(const Sample& sample, std::optional<LostReason> lost, uint32_t stack_key);
  // Takes losses, the cost of handlers and the other counters of handlers; reads every thread's
  // slot.
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
