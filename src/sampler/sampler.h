// Sampler: takes samples and writes them, chunk by chunk, to the file of a recording. It consists
// of the engines, the memory of handlers, the recorder, the subscriptions to events of the JVM, and
// the threads that serve these parts. At most one sampler runs in a process. Its parts are set up
// in the order of the members, and taken down in reverse.
//
// Used by Recording, one call at a time, on a thread attached to the JVM. While the sampler runs,
// engines can join and leave.
#pragma once

#include <jni.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "audit/audit_report.h"
#include "base/result.h"
#include "chunks/chunk_participant.h"
#include "chunks/recorder.h"
#include "chunks/thread_times.h"
#include "engines/engine.h"
#include "engines/method/probe_round.h"
#include "jvm/vm_flags.h"
#include "options/options.h"
#include "sampler/jvm_connection.h"
#include "sampler/method_ids.h"
#include "sampler/sampling_memory.h"
#include "threads/task_watcher.h"
#include "walking/walking.h"

namespace jprof {

class Sampler {
 public:
  // The parameters of a start, in addition to the options.
  struct Beginning {
    uint32_t run;         // > 0, unique for each sampler of the process
    RecordingPlan files;  // with the path, `claim` and the callbacks; Start sets the rest
  };

  // Starts sampling into memory. If a part or an engine cannot start, restores everything and
  // returns an Error.
  static Result<std::unique_ptr<Sampler>> Start(JvmConnection& jvm, JNIEnv* jni,
                                                const Options& options, Beginning beginning);

  // If Finish was not called, the destructor drops the data since the last Dump.
  ~Sampler();

  // Creates the file (Recorder::Begin).
  Status Begin() { return recorder_->Begin(); }

  // Writes all data up to now to the file.
  Result<RecordingSummary> Dump() { return recorder_->Dump(); }

  // Lets an engine carry out the command, and returns its answer; nullopt if no engine knows the
  // command.
  std::optional<Result<Engine::CommandAnswer>> CarryOut(Engine::Command command, JNIEnv* jni) const;

  // Stops sampling and writes the last chunk. From then on the sampler needs no memory of the JVM's
  // heap. Further calls return the same result.
  const Result<RecordingSummary>& Finish();

  // Starts `engine`. Ends the open chunk, because the next chunk has to have the settings of the
  // engine together with its first samples. On an Error, the sampler continues unchanged. REQUIRES:
  // `engine` was made by MakeEngine with context().
  Status Join(std::unique_ptr<Engine> engine);

  // Stops and destroys the engine. Also ends the open chunk, which gets the engine's last samples
  // and events. REQUIRES: `engine` is in engines().
  void Leave(const Engine& engine);

  // Returns the context for MakeEngine.
  EngineContext context() {
    return {jvm_.registry,       *off_thread_, jvm_.events, jvm_.sampled_classes,
            jvm_.hotspot.layout, jvm_.structs, jvm_.stubs,  probes_};
  }

  // Returns the started engines.
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }

  // Returns the notes of the engines (Engine::TakeNotes) and of their probes.
  std::vector<std::string> TakeNotes();

  // Returns the totals of the engines (Engine::Totals) and of the audit.
  std::vector<std::string> Totals() const;

  // Returns the numbers of recorded and lost samples so far. Includes the samples that engines will
  // make later for time that has already passed (OffThreadSamples::Later).
  RecordingSummary Latest() const;

  // Returns the RAM that the memory of handlers uses now.
  size_t ResidentBytes() const { return memory_->ResidentBytes(); }

 private:
  explicit Sampler(JvmConnection& jvm) : jvm_(jvm) {}

  Status SetUp(const Options& options, JNIEnv* jni, Beginning beginning);
  Status MakeEngines(const Options& options, const std::string& recording);
  Status StartRecorder(const Options& options, Beginning beginning);
  Status ObserveJvm(const Options& options, JNIEnv* jni);
  Status RecordDebugInformation();
  Status Subscribe(JvmEventListener& listener, std::initializer_list<jvmtiEvent> events);
  void StartAudit(const Options& options);
  Status StartEngines(const Options& options);
  Status InsertProbes();
  Status StartWatcher(const Options& options);
  void StopEngine(std::unique_ptr<Engine> engine);
  void LeakOnPurpose(std::unique_ptr<Engine> engine) const;
  void StopSampling();
  void RestoreClasses();

  JvmConnection& jvm_;
  ChunkParticipants participants_;
  std::shared_ptr<OffThreadSamples> off_thread_ = std::make_shared<OffThreadSamples>();
  ProbeRound probes_{jvm_.events, jvm_.structs};
  std::mutex engines_mutex_;  // guards engines_: the task watcher calls the engines
  std::vector<std::unique_ptr<Engine>> engines_;  // written under engines_mutex_
  std::vector<const Engine*> immortal_;           // engines whose Stop returned false
  ThreadTimes thread_times_{jvm_.registry};
  std::optional<AuditReport> audit_;  // nullopt without audit=
  std::unique_ptr<SamplingMemory> memory_;
  bool has_stopped_ = false;
  bool is_quiescent_ = true;  // false if a handler still uses the memory after the stop
  std::unique_ptr<Recorder> recorder_;
  std::optional<Result<RecordingSummary>> finished_;  // set by Finish
  std::vector<JvmEvents::Subscription> subscriptions_;
  std::optional<RaisedFlag> debug_information_;
  std::optional<Walking::Use> walking_;  // nullopt: AsyncGetCallTrace walks
  MethodIds method_ids_{jvm_};
  std::unique_ptr<TaskWatcher> watcher_;
};

}  // namespace jprof
