// LockEngine records for which locks platform and virtual threads wait, how long, and which threads
// own the locks. Events of the JVM report waits to enter monitors and waits in Object.wait. Probes
// in LockSupport report parks.
//
// Every wait is counted exactly; samples are taken of some waits (lock_sampling.h). ExactSumEvents
// writes each thread's exact sums to the recording.
//
// The engine also samples the elapsed time of virtual threads that wait, if `wall` is recorded in a
// JVM with virtual threads (waited_wall_time.h): the engine `wall` cannot reach them. If only
// `wall` is recorded, MakeVirtualWaitEngine makes the engine, which then does nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/engine.h"
#include "engines/lock/earlier_waits.h"
#include "engines/lock/holder_looks.h"
#include "engines/lock/monitor_waits.h"
#include "engines/lock/park_waits.h"
#include "engines/lock/thread_waits.h"
#include "engines/lock/virtual_lives.h"
#include "engines/lock/wait_totals.h"
#include "engines/lock/waiting_virtual_threads.h"
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
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread&) override {
    ThreadWaits::OfProcess().End(thread);
  }

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::vector<ThreadWaits::OfThread> threads_;
  std::optional<VirtualThreadTime> virtual_;
  VirtualThreadTime before_ = {};  // total sums of virtual threads at the last Collect
};

class LockEngine final : public Engine {
 public:
  // `wall_interval_ns` is the interval of `wall`; 0 if waits are not sampled for `wall`. `request`
  // is for kLock, or for kWall if waits are observed for `wall` alone. `cpu_signal` is the signal
  // that the user wants for CPU samples; 0 if there is none. REQUIRES: the parts of `context`
  // outlive the engine.
  LockEngine(const EngineContext& context, EngineRequest request, Nanos wall_interval_ns,
             int cpu_signal);

  ~LockEngine() override { Stop(); }

  Status Install() override;
  Status Start() override;
  bool Stop() override;
  bool SamplesWaitingVirtualThreads() const override { return purposes_.wall; }
  // Returns the signal that asks threads for their stacks.
  std::optional<Signal> signal() const override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv* jni) override;
  void BeforeSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;
  void KeepLive(LiveCallTraces& live) const override { holders_.KeepLive(live); }

 private:
  // True if the engine still waits for the program's first virtual thread. REQUIRES: mutex_ is
  // held.
  bool IsDormant() const { return !purposes_.lock && !has_begun_ && !has_stopped_; }
  // Installs and starts everything, if the program has made a virtual thread. REQUIRES: mutex_ is
  // held; IsDormant().
  Status Wake(JNIEnv* jni);
  // REQUIRES of the next two: mutex_ is held.
  Status Begin(JNIEnv* jni);
  Status StartAll(JNIEnv* jni);
  Status StartWall(JNIEnv* jni, const ThreadIds& ids);
  // Samples, for `wall`, the waits of virtual threads that go on. REQUIRES: mutex_ is held.
  void SampleWaiting(JNIEnv* jni, bool is_stop);
  // Records the waits that go on. REQUIRES: Start has succeeded.
  void RecordUnfinished(JNIEnv* jni, ThreadSlot* taker);
  static WaitSumsByType Read();

  const EngineContext context_;
  const EngineRequest request_;
  const WaitPurposes purposes_;
  const Nanos wall_interval_ns_;
  const int cpu_signal_;  // the signal that the user wants for CPU samples; 0 if there is none
  MonitorWaits monitors_;
  HolderLooks holders_;        // destroyed before monitors_, which it uses
  ExactSumEvents exact_sums_;  // used on the recorder's thread, except Start and Stop
  // The probes of an engine for `wall` alone can be inserted in the middle of the recording, so the
  // engine does this itself.
  ProbeRound own_round_;
  mutable std::mutex mutex_;  // guards all below
  ParkWaits parks_;
  VirtualLives virtual_lives_;
  EarlierWaits earlier_waits_;
  VirtualMonitorWaits virtual_monitors_;
  WaitSampler wall_sampler_ = {};  // set by Begin if purposes_.wall
  bool has_begun_ = false;         // true once Begin has set the interval; members may have started
  bool has_stopped_ = false;       // true once Stop was called
  bool is_recording_ = false;      // true if all members above have started
  std::string without_holders_;    // the reason why holders_ does not work, for TakeNotes
  WaitSumsByType written_;         // sums that WriteClosing writes
};

// Creates an engine that samples the waits of virtual threads for `wall`. Returns nullptr if no
// such engine is needed or possible: the JVM has no virtual threads, `wall` is not recorded, `lock`
// is recorded as well (its engine samples these waits too), or the JVM records its classes for an
// archive. The engine does nothing until the program has made a virtual thread, because the probes
// would stop the program for nothing.
std::unique_ptr<Engine> MakeVirtualWaitEngine(const Options& options, const EngineContext& context);

}  // namespace jprof
