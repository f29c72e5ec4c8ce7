// NativeLockEngine: records for which pthread mutexes, rwlocks and conditions threads wait, how
// long, and which threads held them, by hooks in the import slots of all libraries
// (native_lock_wrappers.h); and writes these waits as events.
//
// Every wait is counted exactly; samples are taken of some, by the rule of engines/lock.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "elf/import_hook.h"
#include "engines/engine.h"
#include "engines/lock/wait_totals.h"

namespace jprof {

class NativeLockEngine final : public Engine, private JvmEventListener {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  NativeLockEngine(const EngineContext& context, EngineRequest request);

  ~NativeLockEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  bool WantsUnwindTables() const override { return true; }
  void InspectThreads() override { CoverNewLibraries(); }
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv* jni) override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jmethodID method,
                          void* address, void** new_address) override;
  void CoverNewLibraries();
  WaitSumsByType Read() const;

  JvmEvents& jvm_events_;
  const EngineRequest request_;
  WaitTotals totals_;
  JvmEvents::Subscription binds_;
  std::mutex mutex_;                  // guards hook_
  std::unique_ptr<ImportHook> hook_;  // nullptr: not started
  bool is_started_ = false;
  size_t refused_ = 0;      // slots that were not hooked at the start
  WaitSumsByType written_;  // sums that WriteClosing writes
};

}  // namespace jprof
