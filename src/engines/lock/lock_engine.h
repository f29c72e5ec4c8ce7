// LockEngine: for what threads wait, how long and for whom: monitors and Object.wait by events of
// the JVM, parks by probes in LockSupport.
//
// Every wait is counted, exactly; samples are taken of some (lock_sampling.h). Platform and virtual
// threads.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/engine.h"
#include "engines/engine_request.h"
#include "engines/lock/lock_sampling.h"
#include "engines/lock/open_waits.h"
#include "engines/lock/thread_ids.h"
#include "engines/lock/wait_totals.h"

namespace jprof {

class LockEngine final : public Engine, private JvmEventListener {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  LockEngine(const EngineContext& context, EngineRequest request);

  ~LockEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  void AddSettings(EventSettings& settings) const override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  // By the id of the thread: waits that had begun before the start.
  using WaitsAtStart = std::unordered_map<int64_t, WaitType>;

  Nanos interval_ns() const { return request_.samples.interval; }

  void OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                     jlong timeout) override;
  void OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                       jboolean timed_out) override;

  Status Begin();
  void LookAtWaiting(JNIEnv* jni);
  std::optional<OpenWait> FromTheStart(int64_t thread, bool is_virtual, WaitType type) const;
  void Record(JNIEnv* jni, jthread thread, jobject object, const OpenWait& wait, Nanos now_ns,
              uint8_t flags);
  void RecordUnfinished(JNIEnv* jni);

  const EngineContext context_;
  const EngineRequest request_;
  JvmEvents::Subscription subscription_;
  // release after Begin has set what is below; acquire in callbacks.
  std::atomic<bool> is_on_{false};
  const ThreadIds* ids_ = nullptr;
  Nanos start_ns_ = 0;
  int64_t first_new_id_ = 0;  // of threads that began after the start
  // release in LookAtWaiting, acquire in callbacks; owned, lives as long as the engine.
  std::atomic<const WaitsAtStart*> at_start_{nullptr};
  std::unique_ptr<const WaitsAtStart> owned_at_start_;
  OpenWaits open_;
  WaitTotals totals_;
};

// For engines.def.
Result<std::unique_ptr<Engine>> MakeLockEngine(const Options& options,
                                               const EngineContext& context);
extern const SampleEvents kLockSampleEvents;

}  // namespace jprof
