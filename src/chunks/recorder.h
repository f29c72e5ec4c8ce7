// Recorder: the thread that takes the samples and writes the recording, chunk by chunk.
//
// Start and Finish are called by the sampler. The thread attaches to the JVM as a daemon, to
// resolve method names. The thread drains ten times a second: it takes the samples that handlers
// have published. This is rare enough to cost little, and frequent enough to read most names of
// methods before their classes are unloaded.
//
// The kind of a sample determines its events (sample_events.h). A lost sample has the same events,
// with a stack that names the reason of the loss, so that totals stay correct. Further events are
// the load of the machine and the program, and the cost of profiling (docs/formats/jfr.md).
//
// When memory is short (base/memory_reserve.h), the recorder drops the open chunk and its data, and
// requests the stop of the recording; sealed chunks stay in the file. When the JVM is about to end
// its process (jvm/exit_watch.h), the recorder completes the file, and then waits.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "chunks/recorder_context.h"
#include "chunks/recorder_mailbox.h"
#include "chunks/recording_summary.h"
#include "jfr/writer/jfr_writer.h"
#include "os/stoppable_thread.h"

namespace jprof {

class ChunkSequence;

class Recorder {
 public:
  // Starts the thread. Samples are kept in memory until Begin. Fails without side effects if the
  // file cannot be created. An existing file at the path stays until Begin.
  static Result<std::unique_ptr<Recorder>> Start(const RecorderContext& context,
                                                 RecordingPlan plan);

  // Replaces the file at the path, and makes the thread write the samples. After the return, the
  // file at the path is readable at every moment. Called once, near the end of a recording's start.
  Status Begin() { return mailbox_.Begin(); }

  // Ends the thread. If Finish was not called, drops the open chunk.
  ~Recorder();

  // Seals the open chunk. The file then holds all data since the start of the recording or, if the
  // recording has several files, since the start of the open file. Thread-safe.
  Result<RecordingSummary> Dump() { return mailbox_.Seal(); }

  // Returns the numbers of recorded and lost samples so far. Thread-safe.
  RecordingSummary Latest() const { return mailbox_.Latest(); }

  // Writes the remaining samples and seals the file. REQUIRES: Begin was called; no handler pushes
  // further samples.
  Result<RecordingSummary> Finish();

 private:
  Recorder(const RecorderContext& context, RecordingPlan plan, std::unique_ptr<JfrWriter> writer)
      : context_(context), plan_(std::move(plan)), writer_(std::move(writer)) {}

  void Run(const StopEvent& stop);
  void RecordUntilStopped(const StopEvent& stop, JNIEnv* jni);
  bool EndBeforeExit(ChunkSequence& chunks, Nanos now_ns, const StopEvent& stop);
  void Complete(ChunkSequence& chunks, bool is_end);
  void RequestStopUntilAccepted(const StopEvent& stop);

  const RecorderContext context_;
  const RecordingPlan plan_;
  std::atomic<bool> discard_{false};   // relaxed: the StopEvent orders store and load
  std::unique_ptr<JfrWriter> writer_;  // nullptr once the thread has taken it over
  RecordingSummary summary_;           // written by the thread; read after its join
  Status outcome_;                     // written by the thread; read after its join
  RecorderMailbox mailbox_;
  StoppableThread thread_;
};

}  // namespace jprof
