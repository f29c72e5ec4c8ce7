// AllocEngine: samples of objects as threads allocate them, picked by the JVM (JEP 331, JDK 11).
// How sure the sums are: README.md.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engines/alloc/alloc_events.h"
#include "engines/alloc/allocated_bytes.h"
#include "engines/alloc/held_allocations.h"
#include "engines/alloc/rate_bound.h"
#include "engines/alloc/sampler_bias.h"
#include "engines/alloc/watched_threads.h"
#include "engines/engine.h"
#include "engines/engine_request.h"
#include "engines/live/live_objects.h"
#include "jvm/told_thread.h"

namespace jprof {

class AllocEngine final : public Engine, private JvmEventListener {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  AllocEngine(const EngineContext& context, const Options& options);

  ~AllocEngine() override { Stop(); }

  Status Start() override;
  // Other engines allocate Java objects as they start and stop, on threads of the program.
  bool StartsLast() const override { return true; }
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  std::optional<Result<std::string>> CarryOut(Command command, JNIEnv* jni) override;

  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk& open) override;
  std::optional<SampleKind> HeldKind() const override { return SampleKind::kAlloc; }
  bool HoldBack(const ResolvedSample& resolved) override;
  void AfterSamples(OpenChunk& open) override;
  void BeforeLastDrain(JNIEnv*) override;
  void KeepLive(LiveCallTraces& live) const override;
  uint64_t Forget() override;

 private:
  Status Prepare() const;
  Status SetJvmInterval(int64_t bytes) const;
  void AdaptInterval();
  void OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread announced, jobject object,
                            jclass sampled, jlong object_bytes) override;

  const EngineContext context_;
  const EngineRequest request_;
  const AllocationEvents events_;
  const AllocatedBytes counters_;
  const std::string not_exact_;  // why nothing is calibrated; empty: it is
  RateBound rate_;
  WatchedThreads threads_;
  HeldAllocations held_;
  SamplerBias bias_;
  const bool has_virtual_threads_;
  const ToldThread* told_ = nullptr;         // set before the first event
  const std::unique_ptr<LiveObjects> live_;  // nullptr: not asked for
  JvmEvents::Subscription subscription_;
  std::mutex interval_mutex_;  // of the JVM, while is_sampling_ is set or cleared
  // Whether the JVM samples by our interval. relaxed: a callback that sees an old value is early or
  // late.
  std::atomic<bool> is_sampling_{false};
};

// For engines.def.
Result<std::unique_ptr<Engine>> MakeAllocEngine(const Options& options,
                                                const EngineContext& context);
extern const SampleEvents kAllocSampleEvents;

}  // namespace jprof
