// ChunkSequence: the chunks of a recording, one after the other, and the files that they are in.
//
// The recorder's thread, attached to the JVM.
//  1. The first chunk of a file holds the opening events alone and is sealed at once: from then on
//     the file can be read at every moment.
//  2. A file that somebody else has changed is given up: the recording goes on in another one.
//  3. A chunk that cannot be written, or not whole (a full disk), does not end the recording: one
//     warning, and a new chunk is tried every second. Until there is one, samples, losses and the
//     events of participants are taken and counted as not written, so that nothing grows meanwhile.
//     Nothing that was sealed is lost.
//  4. A thread that has ended is forgotten with the drain that takes its last samples.
//  5. When memory is short no chunk is sealed any more: its content may be incomplete.
#pragma once

#include <jvmti.h>

#include <memory>
#include <vector>

#include "jvm/method_names.h"
#include "recording/chunk_participant.h"
#include "recording/chunk_samples.h"
#include "recording/file_series.h"
#include "recording/jfr/jfr_writer.h"
#include "recording/native_names.h"
#include "recording/recorder_context.h"
#include "recording/recording_plan.h"
#include "recording/recording_summary.h"

namespace jprof {

class ChunkSequence {
 public:
  // REQUIRES: `writer` has no chunk yet; all references outlive the object.
  ChunkSequence(const RecorderContext& context, const RecordingPlan& plan,
                std::unique_ptr<JfrWriter> writer, JNIEnv* jni, RecordingSummary& summary);
  ~ChunkSequence();

  // Puts the first file there.
  Status Begin(Nanos now_ns);

  // Takes what handlers have published.
  void Drain(Nanos now_ns);

  // The open chunk is to end.
  bool IsDue(Nanos now_ns) const;

  // Ends the open chunk. Then begins the next one, in another file if it is time for that.
  void Rotate(Nanos now_ns);

  // Ends the open chunk; the last call.
  void End(Nanos now_ns);

  // Whether everything up to the last Rotate or End is in the file; if not, why.
  const Status& outcome() const { return outcome_; }

 private:
  static constexpr Nanos kRetryInterval = kNanosPerSecond;

  void KeepLastStacks(LiveTraces& live) const;
  void EndChunk(Nanos now_ns);
  Status Seal(Nanos now_ns);
  void NoteOutcome(const Status& sealed);
  void NoteNewFile(const JfrWriter::GivenUp& given_up);
  void StartChunk(Nanos now_ns);
  void GatherSettings();
  void DeclareEvents();
  void WriteOpening(Nanos now_ns);
  void BeginFile();
  void DrainInto(uint32_t last_epoch, const std::vector<uint32_t>& ended, Nanos now_ns);
  void Drop(uint32_t last_epoch, const std::vector<uint32_t>& ended);
  void DropEvents(SampleKind kind, uint64_t weight);
  bool FileIsDue(Nanos now_ns) const;
  Status BeginNextFile(Nanos now_ns);
  void UpdateSummary();

  const RecorderContext& context_;
  const RecordingPlan& plan_;
  JNIEnv* const jni_;
  RecordingSummary& summary_;
  std::unique_ptr<JfrWriter> writer_;
  MethodNames methods_;
  NativeNames natives_;
  VirtualNames virtual_names_;
  EventSettings settings_;
  // Of every recording; engines have others.
  std::vector<std::unique_ptr<ChunkParticipant>> own_participants_;
  FileSeries files_;
  std::unique_ptr<ChunkSamples> chunk_;  // nullptr: none is open
  Nanos chunk_start_ns_ = 0;
  Nanos file_start_ns_ = 0;
  Nanos retry_ns_ = 0;  // when a chunk is tried again
  uint32_t file_number_ = 1;
  uint64_t dropped_events_ = 0;  // that no chunk was there for, or by writers of earlier files
  Status outcome_;
  bool is_failing_ = false;  // warned, and nothing was sealed whole since
};

}  // namespace jprof
