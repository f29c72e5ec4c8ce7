// LockEngine: for what threads wait, how long and for whom: monitors and Object.wait by events of
// the JVM, parks by probes in LockSupport.
//
// Every wait is counted, exactly; samples are taken of some (lock_sampling.h). Platform and virtual
// threads.
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

// LifeEvents: what the exact sums of waits and of virtual threads have grown by since the chunk
// before, as profiler.ThreadWaits and profiler.VirtualThreadTime. A thread that ends has its event
// at the next drain, while its name is still known.
//
// Start and Stop: one call at a time. All else: the recorder's thread.
class LifeEvents final : private ThreadListener {
 public:
  // REQUIRES: `registry` outlives the object.
  explicit LifeEvents(ThreadRegistry& registry) : registry_(registry) {}
  ~LifeEvents() override { Stop(); }
  LifeEvents(const LifeEvents&) = delete;
  LifeEvents& operator=(const LifeEvents&) = delete;

  void Start();
  // May be called again.
  void Stop();

  // Reads the sums.
  void Collect(const VirtualLives& lives);
  // What has been collected, and what is of ended threads, once.
  void Write(OpenChunk& chunk);
  // Drops it: the number of events.
  uint64_t Forget();

 private:
  void OnThreadStart(ThreadSlot&, Observed) override {}
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override { ThreadWaits::OfProcess().End(thread); }

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::vector<ThreadWaits::OfThread> threads_;
  std::optional<VirtualThreadTime> virtual_;
  VirtualThreadTime before_ = {};  // all of virtual threads that Collect has had
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
  LifeEvents life_events_;    // the recorder's thread alone, but for start and stop
  mutable std::mutex mutex_;  // guards all below
  ParkWaits parks_;
  VirtualLives virtual_lives_;
  bool has_begun_ = false;     // Begin has set the interval, and perhaps started some of the parts
  bool is_recording_ = false;  // every part has started
  WaitSumsByType written_;     // what the end of the chunk will have
};

}  // namespace jprof
