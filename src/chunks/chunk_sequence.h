// ChunkSequence: the consecutive chunks of a recording, and their files.
//
// Runs on the recorder's thread, attached to the JVM.
//  1. The first chunk of a file holds only the opening events and is sealed at once: the file is
//     readable from then on.
//  2. A file that was changed by other software is abandoned: the recording continues in another
//     file.
//  3. A chunk that cannot be written completely, for example because the disk is full, does not end
//     the recording: one warning is logged, and every second a new chunk is tried. While no chunk
//     can be opened, samples, losses and the events of participants are taken and counted as
//     unwritten, so that memory does not grow. Sealed data is never lost.
//  4. An ended thread is forgotten after the drain that takes its last samples.
//  5. When memory is short, no further chunk is sealed, because the content of the chunk might be
//     incomplete.
//  6. While the VM is out of reach (jvm/exit_watch.h), End does not enter it: methods whose names
//     are still unknown stay unnamed, and participants write the values that they read last.
#pragma once

#include <jvmti.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/output_claim.h"
#include "chunks/chunk_participant.h"
#include "chunks/class_constants.h"
#include "chunks/context_fields.h"
#include "chunks/file_series.h"
#include "chunks/native_names.h"
#include "chunks/recorder_context.h"
#include "chunks/recording_summary.h"
#include "chunks/sample_events.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_writer.h"
#include "jvm/method_names.h"

namespace jprof {

// ChunkSamples: resolves the samples and losses of one chunk (ResolvedSample), and passes them to
// the recording and to the other sinks (SampleSink).
//
// There is one object per chunk, because stack keys are valid only within a chunk. Runs on the
// recorder's thread, attached to the JVM.
class ChunkSamples {
 public:
  ChunkSamples(const RecorderContext& context, const SampleSettings& settings, JfrWriter& writer,
               MethodNames& methods, NativeNames& natives, VirtualNames& virtual_names,
               ContextFields& contexts, RecordingSummary& summary);

  // The value of `last_epoch` for a drain that does not end an epoch.
  static constexpr uint32_t kAllEpochs = std::numeric_limits<uint32_t>::max();

  // Forgets the keys of threads, because names of threads can have changed since the previous
  // drain. Called before the first event of a drain.
  void BeginDrain() { threads_.BeginDrain(); }

  // Makes the next drain, the chunk's last one, take losses.
  void BeginLastDrain() { next_losses_ns_ = 0; }

  // Takes the published samples of epochs up to `last_epoch`. Also takes losses, and writes them
  // with the time `now_ns`, if a second has passed since it last did so, if this is the last drain
  // of the chunk, or if `takes_losses` is true. The caller sets `takes_losses` if a participant has
  // requested losses, or if threads have ended, because the losses of ended threads are dropped
  // after the drain.
  void Drain(uint32_t last_epoch, bool takes_losses, Nanos now_ns);

  // The keys of threads in this drain, and the keys of stacks in this chunk.
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

class ChunkSequence {
 public:
  // REQUIRES: `writer` has no chunk yet; all references outlive the object.
  ChunkSequence(const RecorderContext& context, const RecordingPlan& plan,
                std::unique_ptr<JfrWriter> writer, JNIEnv* jni, RecordingSummary& summary);
  ~ChunkSequence();

  // Creates the first file.
  Status Begin(Nanos now_ns);

  // Takes the published samples.
  void Drain(Nanos now_ns);

  // True if the open chunk has to end.
  bool IsDue(Nanos now_ns) const;

  // Ends the open chunk and begins the next one. The next chunk is in another file if the open file
  // is old or large enough.
  void Rotate(Nanos now_ns);

  // Ends the open chunk. Afterwards only Resume begins another chunk.
  void End(Nanos now_ns);

  // Gives up the claim to the open file's path. Called after End if the process is about to end
  // without running destructors.
  void ReleaseClaim() { claim_.reset(); }

  // Begins the next chunk at `ended_ns`, the time of the preceding End.
  void Resume(Nanos ended_ns);

  // Returns ok if all data up to the last Rotate or End is in the file, else the reason.
  const Status& outcome() const { return outcome_; }

 private:
  static constexpr Nanos kRetryInterval = kNanosPerSecond;
  // The shortest time that a file covers, however large the file is.
  static constexpr Nanos kShortestFileTime = kNanosPerSecond;
  // The longest time of a chunk if the heap stays nearly full after collections: the JVM might soon
  // end or be killed.
  static constexpr Nanos kShortChunkTime = 5 * kNanosPerSecond;
  // The time between calls of ClassCatalog::Expire if the heap stays over half full after
  // collections. Otherwise every drain calls ClassCatalog::Expire.
  static constexpr Nanos kExpiryInterval = kNanosPerSecond;

  void EndChunk(Nanos now_ns);
  Status Seal(Nanos now_ns);
  void NoteOutcome(const Status& sealed);
  void NoteNewFile(const JfrWriter::AbandonedFile& abandoned);
  void StartChunk(Nanos now_ns);
  void GatherSettings();
  void DeclareEvents();
  void WriteOpening(Nanos now_ns);
  void BeginFile();
  void DrainInto(uint32_t last_epoch, const std::vector<uint32_t>& ended, Nanos now_ns,
                 bool is_last);
  void Drop(uint32_t last_epoch, const std::vector<uint32_t>& ended);
  void DropEvents(SampleKind kind, uint64_t weight);
  bool FileIsDue(Nanos now_ns) const;
  Nanos ChunkTime() const;
  int64_t ChunkBytes() const;
  void ExpireClasses(Nanos now_ns);
  Status BeginNextFile(Nanos now_ns);
  void UpdateSummary();

  const RecorderContext& context_;
  const RecordingPlan& plan_;
  JNIEnv* const jni_;
  RecordingSummary& summary_;
  std::optional<OutputClaim> claim_;  // the claim to the open file, from the second file on
  std::unique_ptr<JfrWriter> writer_;
  MethodNames methods_;
  NativeNames natives_;
  VirtualNames virtual_names_;
  ContextFields contexts_;
  EventSettings settings_;
  // The participants that every recording has. Engines add further participants.
  std::vector<std::unique_ptr<ChunkParticipant>> own_participants_;
  FileSeries files_;
  std::unique_ptr<ChunkSamples> chunk_;  // nullptr: no chunk is open
  Nanos chunk_start_ns_ = 0;
  Nanos file_start_ns_ = 0;
  Nanos retry_ns_ = 0;  // when the next chunk is tried
  Nanos next_expiry_ns_ = 0;
  uint32_t file_number_ = 1;
  uint64_t dropped_events_ = 0;  // dropped without an open chunk, or by writers of earlier files
  Status outcome_;
  bool is_failing_ = false;  // a warning was logged, and no chunk has been sealed completely since
};

}  // namespace jprof
