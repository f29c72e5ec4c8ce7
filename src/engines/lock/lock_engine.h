// LockEngine: records for which locks platform and virtual threads wait, how long, and which
// threads own them: monitors and Object.wait by events of the JVM, parks by probes in LockSupport.
//
// Every wait is counted exactly; samples are taken of some (lock_sampling.h). LifeEvents writes the
// exact sums of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/engine.h"
#include "engines/lock/monitor_waits.h"
#include "engines/lock/park_waits.h"
#include "engines/lock/thread_waits.h"
#include "engines/lock/virtual_lives.h"
#include "engines/lock/wait_totals.h"
#include "jfr/writer/jfr_events.h"
#include "threads/thread_registry.h"

namespace jprof {

// LifeEvents: writes by how much the exact sums of waits and of virtual threads have grown since
// the previous chunk, as profiler.ThreadWaits and profiler.VirtualThreadTime. A thread that ends
// has its event at the next drain, while its name is still known.
//
// Start and Stop are called one at a time; all other functions are called on the recorder's thread.
class LifeEvents final : private ThreadListener {
 public:
  // REQUIRES: `registry` outlives the object.
  explicit LifeEvents(ThreadRegistry& registry) : registry_(registry) {}
  ~LifeEvents() override { Stop(); }
  LifeEvents(const LifeEvents&) = delete;
  LifeEvents& operator=(const LifeEvents&) = delete;

  void Start();
  // Repeated calls have no effect.
  void Stop();

  // Reads the sums of running threads.
  void Collect(const VirtualLives& lives);
  // Writes the collected sums and those of ended threads, and forgets them.
  void Write(OpenChunk& chunk);
  // Drops the collected sums and those of ended threads. Returns the number of their events.
  uint64_t Forget();

 private:
  void OnThreadStart(ThreadSlot&, Observed) override {}
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override { ThreadWaits::OfProcess().End(thread); }

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::vector<ThreadWaits::OfThread> threads_;
  std::optional<VirtualThreadTime> virtual_;
  VirtualThreadTime before_ = {};  // sums of virtual threads at the last Collect
};

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
  LifeEvents life_events_;    // used on the recorder's thread, except Start and Stop
  mutable std::mutex mutex_;  // guards all below
  ParkWaits parks_;
  VirtualLives virtual_lives_;
  bool has_begun_ = false;     // true: Begin has set the interval, and might have started parts
  bool is_recording_ = false;  // true: every part has started
  WaitSumsByType written_;     // sums that WriteClosing writes
};

}  // namespace jprof
