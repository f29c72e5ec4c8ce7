// LockEngine records for which locks platform and virtual threads wait, how long, and which threads
// own the locks. Events of the JVM report waits to enter monitors and waits in Object.wait. Probes
// in LockSupport report parks.
//
// Every wait is counted exactly; samples are taken of some waits (lock_sampling.h). ExactSumEvents
// writes each thread's exact sums to the recording.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/engine.h"
#include "engines/lock/holder_looks.h"
#include "engines/lock/monitor_waits.h"
#include "engines/lock/park_waits.h"
#include "engines/lock/thread_waits.h"
#include "engines/lock/virtual_lives.h"
#include "engines/lock/wait_totals.h"
#include "jfr/writer/jfr_events.h"
#include "threads/thread_registry.h"

namespace jprof {

// ExactSumEvents writes to each chunk by how much the exact sums have grown since the previous
// chunk. It writes an event profiler.ThreadWaits for each platform thread, and one event
// profiler.VirtualThreadTime for all virtual threads together. The sums of a thread that has ended
// are written at the next drain, while the name of the thread is still known.
//
// Start and Stop are called one at a time; all other functions on the recorder's thread.
class ExactSumEvents final : private ThreadListener {
 public:
  // REQUIRES: `registry` outlives the object.
  explicit ExactSumEvents(ThreadRegistry& registry) : registry_(registry) {}
  ~ExactSumEvents() override { Stop(); }
  ExactSumEvents(const ExactSumEvents&) = delete;
  ExactSumEvents& operator=(const ExactSumEvents&) = delete;

  void Start();
  // Repeated calls have no effect.
  void Stop();

  // Collects the sums of the platform threads that are alive, and of all virtual threads.
  void Collect(const VirtualLives& lives);
  // Writes the collected sums and those of ended threads, then drops them.
  void Write(OpenChunk& chunk);
  // Drops the collected sums and those of ended threads. Returns the number of events that Write()
  // would have written for them.
  uint64_t Forget();

 private:
  void OnThreadStart(ThreadSlot&, Observed) override {}
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override { ThreadWaits::OfProcess().End(thread); }

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::vector<ThreadWaits::OfThread> threads_;
  std::optional<VirtualThreadTime> virtual_;
  VirtualThreadTime before_ = {};  // total sums of virtual threads at the last Collect
};

class LockEngine final : public Engine {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  LockEngine(const EngineContext& context, EngineRequest request, int cpu_signal);

  ~LockEngine() override { Stop(); }

  Status Install() override;
  Status Start() override;
  bool Stop() override;
  // Returns the signal that asks threads for their stacks.
  std::optional<Signal> signal() const override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv*) override;
  void BeforeSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;
  void KeepLive(LiveCallTraces& live) const override { holders_.KeepLive(live); }

 private:
  Status Begin(JNIEnv* jni);
  // Records the waits that go on. REQUIRES: Start has succeeded.
  void RecordUnfinished(JNIEnv* jni, ThreadSlot* taker);
  static WaitSumsByType Read();

  const EngineContext context_;
  const EngineRequest request_;
  const int cpu_signal_;  // the signal that the user wants for CPU samples; 0 if there is none
  MonitorWaits monitors_;
  HolderLooks holders_;        // destroyed before monitors_, which it uses
  ExactSumEvents exact_sums_;  // used on the recorder's thread, except Start and Stop
  mutable std::mutex mutex_;   // guards all below
  ParkWaits parks_;
  VirtualLives virtual_lives_;
  bool has_begun_ = false;       // true once Begin has set the interval; members may have started
  bool is_recording_ = false;    // true if all members above have started
  std::string without_holders_;  // the reason why holders_ does not work, for TakeNotes
  WaitSumsByType written_;       // sums that WriteClosing writes
};

}  // namespace jprof
