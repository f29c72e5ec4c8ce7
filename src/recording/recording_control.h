// RecordingControl: starts, dumps and stops recordings, one at a time.
//
// One object per process, leaked on purpose. Start, Dump, Stop and CurrentStatus: Thread-safe, from
// any thread, attached to the JVM or not; VM callbacks arrive on the JVM's threads. None of them
// ends the JVM; a failed start restores everything. session_state.h has the possible actions,
// recording.h the parts of a recording.
//
// The work of an action raises events whose callbacks in other agents can give commands: so no lock
// is held meanwhile, and whoever gives a command on a thread that works already (os/own_work.h) is
// refused before anything here is called.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "answers/agent_answer.h"
#include "base/result.h"
#include "jvm/jvm_events.h"
#include "options/options.h"
#include "recording/last_stop.h"
#include "recording/recording.h"
#include "recording/recording_state.h"
#include "recording/stop_timer.h"
#include "sampler/jvm_connection.h"

namespace jprof {

class RecordingControl : private JvmEventListener {
 public:
  // `when_live` is called when the JVM is initialised, before a recording that has waited for that
  // starts. Not where the JVM was already.
  using WhenLive = void (*)(JavaVM* vm);
  // `tell_start`: delivers the answer to a start at the launch of the JVM.
  using TellStart = void (*)(const Options& options, const Result<AgentAnswer>& started);
  explicit RecordingControl(
      WhenLive when_live = [](JavaVM*) {},
      TellStart tell_start = [](const Options&,
                                const Result<AgentAnswer>& started) { LogStart(started); })
      : when_live_(when_live), tell_start_(tell_start) {}

  // Connects to the JVM. Called first; repeated calls have no effect. Fails with kJvmIsStarting
  // between the end of the OnLoad phase and the live phase.
  Status Connect(JavaVM* vm);

  // The JVM of Connect, or nullptr.
  JavaVM* vm();

  // True before the live phase: only StartAtVmInit is possible. REQUIRES: Connect was called.
  bool IsLaunching();

  // Starts as soon as the VM is initialised; the answer of that start goes to the log. After
  // VMInit: as Start. REQUIRES: Connect was called.
  Result<AgentAnswer> StartAtVmInit(const Options& options);

  // Logs the answer to the start of a program that was to be recorded from its begin.
  static void LogStart(const Result<AgentAnswer>& started);

  // All return the answer to the user. REQUIRES: Connect was called; the live phase.
  // Start, with `is_awaited`: begins no recording if that is false in the end, since nobody would
  // know of it; a recording with a lease ends with the lease.
  Result<AgentAnswer> Start(const Options& options, const std::function<bool()>& is_awaited = {});
  Result<AgentAnswer> Stop(const Options& options);

  // Completes the recording's file up to now, while sampling continues.
  Result<AgentAnswer> Dump(const Options& options);

  AgentAnswer CurrentStatus();

  // The calls of the traced methods: docs/tracing.md.
  Result<AgentAnswer> Methods();

 private:
  void OnVMInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  void OnVMDeath(jvmtiEnv* jvmti, JNIEnv* jni) override;

  // Who starts a recording.
  struct Starter {
    JNIEnv* jni;
    std::function<bool()> is_awaited;  // may be empty: it is
    bool is_launch = false;            // Recording::Beginning
  };

  Result<AgentAnswer> StartWith(const Options& options, const Starter& starter);
  // Says what records instead, or that a recording waits for the JVM.
  Error Refused(const Error& refused);
  Error RefusedStart(const Error& refused);
  Result<std::unique_ptr<Recording>> SetUp(const Options& options, const Starter& starter);
  Status Begin(Recording& recording, const Options& options, const Starter& starter,
               const StopTimers::Stop& stop);
  Result<AgentAnswer> StopBegun(const Options& options = {});
  std::unique_ptr<Recording> TakeRecording();
  void PutRecording(std::unique_ptr<Recording> recording);
  void StopIfRunning();
  bool StopWithPatience();
  void WarnIncomplete(const char* reason);
  Result<std::vector<std::string>> ForceIfAsked(Recording& recording, const Options& options);
  bool StopByTimer(uint32_t number, Nanos patience);
  void EndAbandoned();

  const WhenLive when_live_;
  const TellStart tell_start_;
  RecordingState state_;

  std::mutex mutex_;             // not held while an action works; guards what follows
  JvmEvents* events_ = nullptr;  // from Connect on
  JvmEvents::Subscription subscription_;
  bool has_seen_vm_init_ = false;
  std::optional<Options> at_vm_init_;
  uint32_t recordings_ = 0;  // so far
  std::string notice_;       // about the previous recording, until the next start reports it
  // nullptr while a start or a stop is in progress, whose recording it is then. Used without the
  // lock by the current action, which writes it under the lock.
  std::unique_ptr<Recording> recording_;

  JvmConnection* jvm_ = nullptr;  // of the current action

  std::mutex path_mutex_;               // never held while anything is waited for
  std::string path_ = "the recording";  // of the last one that has begun; guarded by path_mutex_

  StopTimers timers_;  // of this recording or, when idle, of the last

  LastStop last_stop_{[this] { StopIfRunning(); }};
  // For VMDeath. Release by the current action, acquire by the thread that ends the JVM.
  std::atomic<bool> collector_serves_to_the_end_{false};  // false: that is not known either
  std::atomic<bool> needs_heap_{true};                    // the action that is under way
};

}  // namespace jprof
