// Session: starts and stops profiling, one recording at a time.
//
// One object per process, leaked on purpose. Start, Dump, Stop and StatusLines: Thread-safe, from
// any thread, attached to the JVM or not; VM callbacks arrive on the JVM's threads. None of them
// ever ends the JVM; a start that fails leaves it as it was. session_state.h says what is possible
// when.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/agent_answer.h"
#include "base/result.h"
#include "engines/cpu_choice.h"
#include "engines/engine.h"
#include "recording/recorder.h"
#include "session/caller_lease.h"
#include "session/jvm_connection.h"
#include "session/jvm_events.h"
#include "session/options/options.h"
#include "session/recording_output.h"
#include "session/sampling_memory.h"
#include "session/session_report.h"
#include "session/session_state.h"
#include "session/session_status.h"
#include "session/stop_timer.h"
#include "sigsafe/os/clock.h"
#include "stack/vm_walking.h"
#include "threads/pthread_hook.h"
#include "threads/task_watcher.h"

namespace jprof {

class Session : private JvmEvents::Listener {
 public:
  // Joins the JVM; the first thing that is called, any number of times.
  Status Connect(JavaVM* vm);

  // Start as soon as the VM is initialised; what it has to say goes to the log.
  // REQUIRES: Connect, in the OnLoad phase.
  void StartAtVmInit(Options options);

  // All answer with what the user sees. REQUIRES: Connect, in the live phase.
  Result<AgentAnswer> Start(const Options& options);
  Result<AgentAnswer> Stop();

  // The recording's file then holds everything since the start; sampling goes on meanwhile.
  Result<AgentAnswer> Dump();

  std::string StatusLines();

 private:
  // What exists while a recording runs, in the order in which it is set up.
  struct Running {
    explicit Running(std::string path) : output(std::move(path)) {}

    const Nanos start_ns = MonotonicNanos();
    const time_t start_time = time(nullptr);
    RecordingOutput output;
    RequestedEvents requested;
    std::shared_ptr<const CallerLease>
        lease;                               // of who will fetch the recording, if somebody is to;
    std::optional<std::string> answer_file;  // of the start: nobody has read it then
    std::unique_ptr<SamplingMemory> memory;
    OutsideSamples outside;
    EngineCounts engine_counts;
    CpuChoice cpu_choice;                   // if cpu is sampled
    std::unique_ptr<WallThreads> sleepers;  // nullptr: the wall clock is not sampled
    bool quiescent = true;                  // false: stopped, but a handler has not left the memory
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<VmWalking> walking;  // nullptr: AsyncGetCallTrace walks
    std::vector<std::unique_ptr<Engine>> engines;
    std::unique_ptr<TaskWatcher> watcher;
  };

  void OnVmInit(JNIEnv* jni) override;
  void OnVmDeath() override;
  void OnThreadStart(JNIEnv* jni, jthread thread) override;
  void OnThreadEnd() override;
  void OnNativeMethodBind() override;
  void OnClassPrepare(JNIEnv* jni, jclass prepared) override;
  void OnGarbageCollectionStart() override;
  void OnGarbageCollectionFinish() override;
  void OnCodeGenerated(const char* name, const void* start, jint size) override;

  Result<AgentAnswer> StartWith(const Options& options, JNIEnv* jni);
  Status Refusal(Status refused);
  Status SetUp(const Options& options, JNIEnv* jni);
  Status StartRecorder(const Options& options);
  Status ObserveThreadsAndClasses(const Options& options, JNIEnv* jni);
  void HookNativeThreads();
  void ChooseWalker(const Options& options);
  Status StartEngines(const Options& options);
  Status StartTimer(std::optional<Nanos> timeout_ns);
  Result<AgentAnswer> StopBegun();
  void StopByTimer(uint32_t session);
  bool StopSoon(uint32_t session);
  void EndAbandoned();
  std::string Completed(const std::string& path);
  void StopSampling();
  void TearDown(JNIEnv* jni);
  SessionStatus::Recording Describe() const;

  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  std::optional<Options> at_vm_init_;

  SessionState state_;

  // Written by the action that state_ lets in, under mutex_; others read them under mutex_.
  std::mutex mutex_;
  JvmConnection* jvm_ = nullptr;
  uint32_t sessions_ = 0;
  std::string notice_;  // about the recording before, until a start has told it
  std::unique_ptr<Running> running_;
  // nullptr: none is wanted, or it could not be installed. Written under both locks, so that either
  // suffices to use it.
  std::unique_ptr<PthreadHook> hook_;
  std::mutex hook_mutex_;
  std::unique_ptr<StopTimer> timer_;  // of this session or, when idle, of the last
  // Likewise, of a recording that was given up: written by the recorder's thread, and when idle.
  std::unique_ptr<StopTimer> given_up_;
};

}  // namespace jprof
