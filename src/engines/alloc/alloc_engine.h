// AllocEngine samples objects as threads allocate them. README.md says how exact the sums are.
// AllocSampler is the part of the engine that runs on the allocating threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engines/alloc/alloc_events.h"
#include "engines/alloc/held_allocations.h"
#include "engines/alloc/live_objects.h"
#include "engines/alloc/rate_bound.h"
#include "engines/alloc/sampler_bias.h"
#include "engines/alloc/watched_threads.h"
#include "engines/engine.h"
#include "jvm/callback_thread.h"

namespace jprof {

// AllocSampler makes the JVM select objects as threads allocate them (JEP 331, JDK 11), and takes a
// sample of each. OnSampledObjectAlloc runs on the allocating threads. The recorder's thread calls
// AdaptInterval. The other functions are called by one thread at a time.
class AllocSampler final : private JvmEventListener {
 public:
  // `live` gets the sampled objects; it is nullptr if live objects are not recorded. REQUIRES:
  // `live` and the parts of `context` outlive the object.
  AllocSampler(const EngineContext& context, const EngineRequest& request, bool is_bounded,
               LiveObjects* live);

  // Returns an Error if this JVM cannot sample allocations, or if another agent does so already.
  Status Check() const;
  Status Start();
  // Stops sampling: no further sample is started. Returns true if the JVM was sampling.
  bool StopSampling();
  // Ends the subscription to the JVM's events. Like Engine::Stop, returns false if one of our
  // callbacks is still running. REQUIRES: StopSampling was called.
  bool End();

  bool is_sampling() const { return is_sampling_.load(std::memory_order_relaxed); }
  // Adapts the JVM's interval to the rate of samples (RateBound). The recorder calls this function
  // ten times a second.
  void AdaptInterval();

  const AllocatedBytes& counters() const { return counters_; }
  const RateBound& rate() const { return rate_; }
  WatchedThreads& threads() { return threads_; }

 private:
  Status SetJvmInterval(int64_t bytes) const;
  void OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread announced, jobject object,
                            jclass sampled, jlong object_bytes) override;

  const EngineContext context_;
  const int64_t interval_;
  const bool is_filtered_;
  const int release_;  // release of the JDK
  LiveObjects* const live_;
  const AllocatedBytes counters_;
  RateBound rate_;
  WatchedThreads threads_;
  const CallbackThread* callback_thread_ = nullptr;  // set before the first event
  JvmEvents::Subscription subscription_;
  std::mutex interval_mutex_;  // held while the JVM's interval changes or is_sampling_ is cleared
  // True while the JVM samples at our interval. relaxed: the flag orders no other data. A callback
  // that loads an old value behaves as if it had run shortly before the start or the stop.
  std::atomic<bool> is_sampling_{false};
};

class AllocEngine final : public Engine {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  AllocEngine(const EngineContext& context, const Options& options);

  ~AllocEngine() override { Stop(); }

  Status Start() override;
  // Returns true: other engines allocate Java objects on threads of the program while they start
  // and stop, and those objects must not be sampled.
  bool StartsLast() const override { return true; }
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  std::optional<Result<CommandAnswer>> CarryOut(Command command, JNIEnv* jni) override;

  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk& open) override;
  std::optional<SampleKind> HeldKind() const override { return SampleKind::kAlloc; }
  bool HoldBack(const ResolvedSample& resolved) override;
  void AfterSamples(OpenChunk& open) override;
  void KeepLive(LiveCallTraces& live) const override;
  uint64_t Forget() override;

 private:
  const VmStructs& structs_;
  const EngineRequest request_;
  const AllocationEvents events_;
  const std::unique_ptr<LiveObjects> live_;  // nullptr if live objects are not recorded
  AllocSampler sampler_;
  const std::string not_exact_;  // reason why samples are not calibrated; empty if they are
  HeldAllocations held_;
  SamplerBias bias_;
};

}  // namespace jprof
