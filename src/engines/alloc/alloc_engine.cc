#include "engines/alloc/alloc_engine.h"

#include <utility>

#include "engines/alloc/alloc_events.h"
#include "jvm/jvm_information.h"

namespace jprof {
namespace {

std::string WhyNotExact(const Options& options, const AllocatedBytes& counters) {
  if (!counters.are_known()) return "none: this JVM does not export the counters of its threads";
  return options.window.are_given() ? "none: the counters of threads know no windows" : "";
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeAllocEngine(const Options& options,
                                                const EngineContext& context) {
  return std::unique_ptr<Engine>(std::make_unique<AllocEngine>(context, options));
}

AllocEngine::AllocEngine(const EngineContext& context, const Options& options)
    : structs_(context.structs),
      request_(RequestOf(options, SampleKind::kAlloc)),
      events_(options.tlab_events ? AllocationEvents::kTlabPair : AllocationEvents::kSample),
      live_(options.live ? std::make_unique<LiveObjects>(context) : nullptr),
      sampler_(context, request_, options.is_alloc_bounded, live_.get()),
      not_exact_(WhyNotExact(options, sampler_.counters())),
      held_(sampler_.threads(), request_.samples.interval, events_,
            not_exact_.empty() ? HeldAllocations::Exact::kKnown : HeldAllocations::Exact::kUnknown),
      bias_(JdkRelease(context.jvm_events.jvmti()), request_.samples.interval) {}

Status AllocEngine::Start() {
  Status done = sampler_.Check();
  if (done && live_ != nullptr) done = CollectionLog::Check(structs_);
  if (done && live_ != nullptr) done = live_->Begin();
  if (done) done = sampler_.Start();
  if (!done) Stop();
  return done;
}

bool AllocEngine::Stop() {
  if (sampler_.StopSampling()) held_.Stop();
  bool may_go = sampler_.End();
  if (live_ != nullptr) may_go = live_->End() && may_go;
  return may_go;
}

std::string AllocEngine::Description() const {
  const std::string every = "alloc every " + std::to_string(request_.samples.interval) + " bytes";
  if (!sampler_.rate().is_bounded()) return every;
  return every + " (at most " + std::to_string(RateBound::kMostPerSecond) + " a second)";
}

// async-profiler's converter reads the setting `alloc`.
void AllocEngine::AddSettings(EventSettings& settings) const {
  const auto add = [&](JfrType event) {
    AddRequest(request_, event, settings);
    settings.Set(event, "alloc", std::to_string(request_.samples.interval));
  };
  add(JfrType::kAllocatedObject);
  if (events_ == AllocationEvents::kSample) {
    add(JfrType::kObjectAllocationSample);
  } else {
    add(JfrType::kObjectAllocationInNewTLAB);
    add(JfrType::kObjectAllocationOutsideTLAB);
  }
  if (const char* const cause = bias_.Cause()) {
    settings.Set(JfrType::kAllocationCalibration, "bias", cause);
  }
  settings.Enable(JfrType::kAllocationCalibration);
  settings.Set(JfrType::kAllocationCalibration, "calibration",
               not_exact_.empty() ? "by the counters of threads" : not_exact_);
  if (live_ != nullptr) live_->AddSettings(settings);
}

void AllocEngine::BeforeSamples(OpenChunk& open) {
  sampler_.AdaptInterval();
  held_.BeforeSamples(open);
}

bool AllocEngine::HoldBack(const ResolvedSample& resolved) {
  if (!resolved.lost && resolved.sample.Payload<AllocPayload>().class_number != 0) {
    bias_.Count(resolved.sample.Payload<AllocPayload>(),
                static_cast<double>(resolved.sample.weight));
  }
  held_.Hold(resolved);
  return true;
}

void AllocEngine::AfterSamples(OpenChunk& open) {
  const std::optional<Nanos> scaled_ns = held_.AfterSamples(open);
  if (live_ == nullptr) return;
  if (scaled_ns) {
    live_->Calibrate(*scaled_ns, [this](ReferencedObject& object) {
      const Scale scale = held_.ScaleOf(object.thread_number);
      object.weight = scale.Weight(object.weight, static_cast<double>(object.bytes));
      object.error = scale.Error(object.error);
    });
  }
  live_->AfterSamples(open);
}

void AllocEngine::KeepLive(LiveCallTraces& live) const {
  if (live_ != nullptr) live_->KeepLive(live);
}

std::optional<Result<Engine::CommandAnswer>> AllocEngine::CarryOut(Command command, JNIEnv* jni) {
  if (live_ == nullptr || command != Command::kCollect) return std::nullopt;
  Result<std::string> cost = live_->Collect(jni);
  if (!cost) return cost.error();
  return CommandAnswer{.cost = std::move(cost).value()};
}

std::vector<std::string> AllocEngine::Totals() const {
  std::vector<std::string> totals = {held_.Total()};
  std::string live = live_ == nullptr ? "" : live_->Total();
  if (!live.empty()) totals.push_back(std::move(live));
  return totals;
}

std::vector<std::string> AllocEngine::TakeNotes() {
  std::string warning = sampler_.is_sampling() ? "" : bias_.Warning();
  return warning.empty() ? std::vector<std::string>() : std::vector{std::move(warning)};
}

uint64_t AllocEngine::Forget() {
  held_.Forget();
  if (live_ != nullptr) live_->Forget();
  return 0;  // samples are counted where they are dropped
}

}  // namespace jprof
