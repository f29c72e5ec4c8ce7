// AllocEngine: samples objects as threads allocate them. README.md has the accuracy of the sums.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engines/alloc/alloc_events.h"
#include "engines/alloc/alloc_sampler.h"
#include "engines/alloc/held_allocations.h"
#include "engines/alloc/live_objects.h"
#include "engines/alloc/sampler_bias.h"
#include "engines/engine.h"

namespace jprof {

class AllocEngine final : public Engine {
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
  const std::unique_ptr<LiveObjects> live_;  // nullptr: not asked for
  AllocSampler sampler_;
  const std::string not_exact_;  // why samples are not calibrated; empty: they are
  HeldAllocations held_;
  SamplerBias bias_;
};

}  // namespace jprof
