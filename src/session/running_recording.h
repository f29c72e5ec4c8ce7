// RunningRecording: one recording and all its parts: the recorder, the memory of handlers, the
// engines, events of the JVM, and the threads that serve them. Set up in the order of the members,
// taken down in reverse.
//
// Used by the session, one call at a time, on a thread attached to the JVM. While the recording
// runs, engines may join and leave.
#pragma once

#include <jni.h>

#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/agent_answer.h"
#include "base/result.h"
#include "engines/engine.h"
#include "engines/trace/probe_round.h"
#include "jvm/exit_watch.h"
#include "recording/chunk_participant.h"
#include "recording/recorder.h"
#include "recording/thread_times.h"
#include "session/caller_lease.h"
#include "session/jvm_connection.h"
#include "session/options/options.h"
#include "session/recording_output.h"
#include "session/sampling_memory.h"
#include "session/session_report.h"
#include "session/session_status.h"
#include "sigsafe/os/clock.h"
#include "stack/vm_walking.h"
#include "threads/task_watcher.h"

namespace jprof {

class RunningRecording {
 public:
  // The end of a recording, as complete as it could be written.
  struct Ended {
    AgentAnswer answer;
    std::string notice;  // for the next caller, if the caller of this recording has died; or empty
  };

  // How a recording begins, besides its options.
  struct Beginning {
    uint32_t number;                  // > 0, unique for each recording
    std::function<bool()> stop_soon;  // of RecordingPlan
    bool is_launch;                   // nothing of the program has run yet
    uint32_t first_file = 1;          // its number for %n
  };

  // Starts sampling into memory. If a part or an engine cannot start: an Error, with everything
  // restored.
  static Result<std::unique_ptr<RunningRecording>> Start(JvmConnection& jvm, JNIEnv* jni,
                                                         const Options& options,
                                                         Beginning beginning);

  // Without End: drops the data since the last dump.
  ~RunningRecording();

  // Creates the file: the last step of a start, because until then an earlier file at the path
  // stays unchanged.
  Status Begin();

  // Completes the recording up to now.
  Result<RecordingSummary> WriteChunk() { return recorder_->Dump(); }
  // After WriteChunk: converts the recording to the output file, if that has another format. Needs
  // nothing of the JVM.
  Result<AgentAnswer> UpdateOutput(const Result<RecordingSummary>& summary) const;

  // Has an engine force what its events are to follow (Engine::Force).
  Result<std::string> Force();

  // Stops sampling and writes the last chunk. From then on nothing needs memory of the JVM's heap.
  void FinishSampling();

  // FinishSampling, and completes the file. The last call.
  Result<Ended> End();

  // Starts `engine`, made by MakeEngine for this context. The open chunk ends, so that the engine's
  // settings are in the chunk of its first samples. On an Error the recording continues unchanged.
  Status Join(std::unique_ptr<Engine> engine);

  // Stops and destroys the engine; its last samples and events are in the chunk that ends here.
  // REQUIRES: `engine` is in engines().
  void Leave(const Engine& engine);

  // For MakeEngine.
  EngineContext context() {
    return {jvm_.registry,       *off_thread_, jvm_.events, jvm_.sampled_classes,
            jvm_.hotspot.layout, jvm_.structs, probes_};
  }

  // Returns the notes of its engines (Engine::TakeNotes), and once that of its output.
  std::vector<std::string> TakeNotes();

  // Of traced methods (Engine::MethodTable).
  std::string MethodTable(JNIEnv* jni);

  // The started engines.
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }

  Nanos start_ns() const { return start_ns_; }
  time_t start_time() const { return start_time_; }
  const std::string& path() const { return output_.path(); }
  // nullptr: no jprof will fetch the recording.
  const std::shared_ptr<const CallerLease>& lease() const { return lease_; }

  SessionStatus::Recording Describe() const;

 private:
  RunningRecording(JvmConnection& jvm, const Options& options, RecordingOutput output);

  Status SetUp(const Options& options, JNIEnv* jni, Beginning beginning);
  Status OpenLease(const Options& options);
  Status MakeEngines(const Options& options);
  Status StartRecorder(const Options& options, Beginning beginning);
  Status ObserveJvm(const Options& options, JNIEnv* jni);
  Status Subscribe(JvmEventListener& listener, std::initializer_list<jvmtiEvent> events);
  Status StartEngines(const Options& options, bool is_launch);
  void AwaitUnwindTablesFor(const Engine& engine);
  Status StartProbed(std::span<const std::unique_ptr<Engine>> engines);
  Status StartWatcher(const Options& options);
  Result<std::string> CompleteOutput(const Result<RecordingSummary>& summary) const;
  void CompleteBeforeExit(const Result<RecordingSummary>& summary, bool is_end);
  void StopEngine(std::unique_ptr<Engine> engine);
  void KeepForEver(std::unique_ptr<Engine> engine) const;
  void StopSampling();
  void RestoreClasses();
  std::string KeepUnfetched(const std::string& path) const;

  JvmConnection& jvm_;
  const Nanos start_ns_ = MonotonicNanos();
  const time_t start_time_ = time(nullptr);
  RecordingOutput output_;
  const RequestedEvents requested_;
  std::shared_ptr<const CallerLease> lease_;
  std::optional<std::string> answer_file_;  // of the start: unread if the caller has died
  ChunkParticipants participants_;
  std::shared_ptr<OffThreadSamples> off_thread_ = std::make_shared<OffThreadSamples>();
  ProbeRound probes_{jvm_.events, jvm_.structs};
  std::mutex engines_mutex_;                      // for the watcher, which calls the engines
  std::vector<std::unique_ptr<Engine>> engines_;  // written under engines_mutex_
  std::vector<const Engine*> immortal_;           // engines whose Stop returned false
  ThreadTimes thread_times_{jvm_.registry};
  std::unique_ptr<SamplingMemory> memory_;
  bool has_told_claim_ = false;
  bool has_stopped_ = false;
  bool is_quiescent_ = true;  // false: stopped, but a handler still uses the memory
  std::optional<Result<std::string>> completed_;  // set by the recorder's thread, before an exit
  std::unique_ptr<Recorder> recorder_;
  std::optional<Result<RecordingSummary>> finished_;  // by FinishSampling
  std::vector<JvmEvents::Subscription> subscriptions_;
  std::unique_ptr<VmWalking> walking_;  // nullptr: AsyncGetCallTrace walks
  std::unique_ptr<TaskWatcher> watcher_;
  // Lives until the file is complete: an end of the JVM waits for the stop that has begun. nullptr
  // before Begin, and where the exits of the JVM cannot be watched.
  std::unique_ptr<ExitWatch> exit_watch_;
};

}  // namespace jprof
