// Recorder: the one thread that takes the samples and writes the recording, chunk by chunk.
//
// Start and Finish: by the session. The thread attaches to the JVM as a daemon, for it resolves
// method names. It drains ten times a second: as late as a recording tolerates, as early as names
// need, for a class may be unloaded after its sample.
//
// What it writes for samples of a kind says that kind's file (sample_events.h); for losses the same
// events, under a stack that says why, so that totals stay true.
// When memory runs short (base/memory_reserve.h) it drops the open chunk and all that it holds, and
// has the recording stopped; what was sealed before stays in the file.
// Around them: what the machine and the program do, and what profiling costs (docs/formats/jfr.md).
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "recording/jfr/jfr_writer.h"
#include "recording/recorder_context.h"
#include "recording/recorder_mailbox.h"
#include "recording/recording_plan.h"
#include "recording/recording_summary.h"

namespace jprof {

class Recorder {
 public:
  // Takes samples from now on. Fails, and leaves nothing behind, when the file cannot be created.
  // What is at the path stays there until Begin.
  static Result<std::unique_ptr<Recorder>> Start(const RecorderContext& context,
                                                 RecordingPlan plan);

  // Replaces what is at the path. On return the file is there and can be read, at this moment and
  // at every later one. Once, when nothing else can fail.
  Status Begin() { return mailbox_.Begin(); }

  // Without Finish: ends the thread and drops what was recorded since the last chunk.
  ~Recorder();

  // Seals the open chunk: the file then holds everything since the start, or, with a plan for
  // several files, since it was begun. Thread-safe.
  Result<RecordingSummary> Dump() { return mailbox_.Seal(); }

  // What was recorded and lost so far. Thread-safe.
  RecordingSummary Latest() const { return mailbox_.Latest(); }

  // Writes what is left and seals the file.
  // REQUIRES: Begin; no handler can push any more.
  Result<RecordingSummary> Finish();

 private:
  Recorder(const RecorderContext& context, RecordingPlan plan, std::unique_ptr<JfrWriter> writer)
      : context_(context), plan_(std::move(plan)), writer_(std::move(writer)) {}

  void Run(const StopEvent& stop);
  void RecordUntilStopped(const StopEvent& stop, JNIEnv* jni);
  void HaveItStopped(const StopEvent& stop);

  const RecorderContext context_;
  const RecordingPlan plan_;
  std::atomic<bool> discard_{false};   // relaxed: StopEvent orders it
  std::unique_ptr<JfrWriter> writer_;  // until the thread takes it
  RecordingSummary summary_;           // the thread's; read after it was joined
  Status outcome_;                     // as above
  RecorderMailbox mailbox_;
  StoppableThread thread_;
};

}  // namespace jprof
