// Session: starts and stops profiling, one recording at a time.
//
// One object per process, leaked on purpose. Start and Stop: Thread-safe, from any thread, attached
// to the JVM or not; VM callbacks arrive on the JVM's threads. Neither ever ends the JVM; a start
// that fails leaves it as it was.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/engine.h"
#include "recording/recorder.h"
#include "session/jvm_connection.h"
#include "session/jvm_events.h"
#include "session/options/options.h"
#include "session/sampling_memory.h"
#include "threads/task_watcher.h"

namespace jprof {

class Session : private JvmEvents::Listener {
 public:
  // Joins the JVM; the first thing that is called, any number of times.
  Status Connect(JavaVM* vm);

  // Start as soon as the VM is initialised; what it has to say goes to the log.
  // REQUIRES: Connect, in the OnLoad phase.
  void StartAtVmInit(Options options);

  // Both answer with the line that the user sees. REQUIRES: Connect, in the live phase.
  Result<std::string> Start(const Options& options);
  Result<std::string> Stop();

 private:
  // What exists while a recording runs, in the order in which it is set up.
  struct Running {
    std::string path;
    std::unique_ptr<SamplingMemory> memory;
    bool quiescent = true;  // false: stopped, but a handler has not left the memory
    std::unique_ptr<Recorder> recorder;
    std::vector<std::unique_ptr<Engine>> engines;
    std::unique_ptr<TaskWatcher> watcher;
  };

  void OnVmInit(JNIEnv* jni) override;
  void OnVmDeath() override;
  void OnThreadStart(JNIEnv* jni, jthread thread) override;
  void OnThreadEnd() override;
  void OnClassPrepare(JNIEnv* jni, jclass prepared) override;

  Result<std::string> StartLocked(const Options& options, JNIEnv* jni);
  Status SetUp(const Options& options, JNIEnv* jni);
  Status ObserveThreadsAndClasses(const Options& options, JNIEnv* jni);
  Status StartEngines(const Options& options);
  void StopSampling();
  void TearDown(JNIEnv* jni);

  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  std::optional<Options> at_vm_init_;

  std::mutex mutex_;  // serialises start and stop; guards all below
  JvmConnection* jvm_ = nullptr;
  uint32_t sessions_ = 0;
  std::unique_ptr<Running> running_;
};

}  // namespace jprof
