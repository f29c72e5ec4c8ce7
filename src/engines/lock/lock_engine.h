// LockEngine: for what threads wait, how long and for whom: monitors and Object.wait by events of
// the JVM, parks by probes in LockSupport.
//
// Every wait is counted, exactly; samples are taken of some (lock_sampling.h). Platform and virtual
// threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/engine_request.h"
#include "engines/lock/life_events.h"
#include "engines/lock/monitor_waits.h"
#include "engines/lock/park_waits.h"
#include "engines/lock/virtual_lives.h"
#include "engines/lock/wait_report.h"

namespace jprof {

class LockEngine final : public Engine {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  LockEngine(const EngineContext& context, EngineRequest request);

  ~LockEngine() override { Stop(); }

  Status Install() override;
  Status Start() override;
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv*) override;
  void BeforeSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  Status Begin(JNIEnv* jni);
  // Records the waits that have not ended. REQUIRES: every part has started.
  void RecordUnfinished(JNIEnv* jni);
  static WaitSumsByType Read();

  const EngineContext context_;
  const EngineRequest request_;
  MonitorWaits monitors_;
  LifeEvents life_events_;    // the recorder's thread alone, but for start and stop
  mutable std::mutex mutex_;  // guards all below
  ParkWaits parks_;
  VirtualLives virtual_lives_;
  bool has_begun_ = false;     // Begin has set the interval, and perhaps started some of the parts
  bool is_recording_ = false;  // every part has started
  WaitSumsByType written_;     // what the end of the chunk will have
};

}  // namespace jprof
