// RecordingControl: starts, dumps and stops recordings, one at a time.
//
// There is one object per process, leaked on purpose. Start, Dump, Stop and CurrentStatus are
// thread-safe, and can be called on any thread, attached to the JVM or not. VM callbacks arrive on
// the JVM's threads. No failure ends the JVM, and a failed start restores everything.
// recording_state.h describes the possible actions, and recording.h the parts of a recording.
//
// The work of an action makes the JVM send events, and other agents can give commands in their
// callbacks for these events. Therefore no lock is held during the work, and a command on a thread
// that already works for the profiler (os/own_work.h) is refused before any function here is
// called.
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
  // Called when the JVM is initialised. If a recording is to start then, it starts after this call.
  // Not called if the JVM was initialised before Connect.
  using WhenLive = void (*)(JavaVM* vm);
  // Receives the result of a recording's start at the launch of the JVM, and passes it to the user.
  using DeliverStart = void (*)(const Options& options, const Result<AgentAnswer>& started);
  explicit RecordingControl(
      WhenLive when_live = [](JavaVM*) {},
      DeliverStart deliver_start = [](const Options&,
                                      const Result<AgentAnswer>& started) { LogStart(started); })
      : when_live_(when_live), deliver_start_(deliver_start) {}

  // Connects to the JVM. Called first; repeated calls have no effect. Fails with kJvmIsStarting
  // between the end of the OnLoad phase and the live phase.
  Status Connect(JavaVM* vm);

  // Returns the JVM that was passed to Connect; nullptr before Connect.
  JavaVM* vm();

  // True before the live phase, when only StartAtVmInit is possible. REQUIRES: Connect was called.
  bool IsLaunching();

  // Starts a recording as soon as the VM is initialised, and passes the result of that start to
  // `deliver_start`. After VMInit, the call does the same as Start. REQUIRES: Connect was called.
  Result<AgentAnswer> StartAtVmInit(const Options& options);

  // Logs the answer to the start of a recording at the launch of the JVM.
  static void LogStart(const Result<AgentAnswer>& started);

  // Returns the data about the JVM, which the first call reads. `jni` is the JNIEnv of the calling
  // thread. REQUIRES: Connect was called, and the JVM is in the live phase.
  Result<JvmConnection*> Jvm(JNIEnv* jni);

  // The following functions return the answer to the user. REQUIRES: Connect was called, and the
  // JVM is in the live phase.

  // Starts a recording. If `is_awaited` returns false at the end of the start, the caller has gone
  // and would never stop the recording, so the start fails. A recording with a lease starts even
  // then, because it ends with the lease.
  Result<AgentAnswer> Start(const Options& options, const std::function<bool()>& is_awaited = {});
  Result<AgentAnswer> Stop(const Options& options);

  // Writes all data up to now to the output, while sampling continues.
  Result<AgentAnswer> Dump(const Options& options);

  AgentAnswer CurrentStatus();

  // Returns the calls to the traced methods (docs/tracing.md).
  Result<AgentAnswer> Methods();

 private:
  void OnVMInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) override;
  void OnVMDeath(jvmtiEnv* jvmti, JNIEnv* jni) override;

  // The caller that starts a recording.
  struct Starter {
    JNIEnv* jni;
    std::function<bool()> is_awaited;  // empty if the caller always waits
  };

  Result<AgentAnswer> StartWith(const Options& options, const Starter& starter);
  // Returns the error for a refused command. If another agent is recording, the error names that
  // agent. Otherwise it is `refused`; if a recording still waits for the JVM to be initialised, the
  // message also says so.
  Error Refused(const Error& refused);
  Error RefusedStart(const Error& refused);
  Result<std::unique_ptr<Recording>> SetUp(const Options& options, const Starter& starter);
  Status Begin(Recording& recording, const Options& options, const Starter& starter,
               const StopTimers::Stop& stop);
  Result<AgentAnswer> FinishStop(const Options& options = {});
  std::unique_ptr<Recording> TakeRecording();
  void PutRecording(std::unique_ptr<Recording> recording);
  void StopIfRunning();
  bool StopWithPatience();
  void WarnIncomplete(const char* reason);
  Result<std::vector<std::string>> ForceIfAsked(Recording& recording, const Options& options);
  bool StopByTimer(uint32_t number, Nanos patience);
  void EndAbandoned();

  const WhenLive when_live_;
  const DeliverStart deliver_start_;
  RecordingState state_;

  std::mutex mutex_;  // guards the members up to recording_; not held while an action works
  JvmEvents* events_ = nullptr;  // set by Connect
  JvmEvents::Subscription subscription_;
  bool has_seen_vm_init_ = false;
  std::optional<Options> at_vm_init_;
  uint32_t recordings_ = 0;  // number of recordings so far
  std::string notice_;       // about the previous recording, until the next start reports it
  // nullptr if no recording is running. Also nullptr during a start or a stop, which then owns the
  // recording. The current action reads this pointer without the lock, and writes it under the
  // lock.
  std::unique_ptr<Recording> recording_;

  std::mutex connection_mutex_;          // held while the connection is made
  JvmConnection* connection_ = nullptr;  // guarded by connection_mutex_
  JvmConnection* jvm_ = nullptr;         // used by the current action

  std::mutex path_mutex_;               // never held during a wait
  std::string path_ = "the recording";  // path of the last recording; guarded by path_mutex_

  StopTimers timers_;  // timers of this recording or, when idle, of the previous one

  LastStop last_stop_{[this] { StopIfRunning(); }};
  // The current action writes the following two members (release). The thread that ends the JVM
  // reads them at VMDeath (acquire).
  std::atomic<bool> collector_outlives_vm_death_{false};  // also false if unknown
  std::atomic<bool> needs_heap_{true};  // true: the current action might need memory of the heap
};

}  // namespace jprof
