#include "engines/alloc/alloc_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engines/alloc/alloc_sampling.h"
#include "engines/alloc/object_weight.h"
#include "engines/method/boot_class.h"
#include "jvm/exit_watch.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

constexpr int kFirstRelease = 11;  // JEP 331

// OpenJDK jdk-17+35 src/hotspot/share/runtime/threadHeapSampler.cpp, _sampling_interval.
constexpr int64_t kJvmDefaultInterval = 512 * 1024;

// Counters of a thread's next sample run while nobody samples (docs/allocations.md).
constexpr int kFirstToCountWhileOff = 25;

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
    : context_(context),
      request_(RequestOf(options, SampleKind::kAlloc)),
      events_(options.tlab_events ? AllocationEvents::kTlabPair : AllocationEvents::kSample),
      counters_(context.layout),
      not_exact_(WhyNotExact(options, counters_)),
      rate_(request_.samples.interval, options.is_alloc_bounded),
      threads_(context.registry, counters_, rate_,
               JdkRelease(context.jvm_events.jvmti()) >= kFirstToCountWhileOff
                   ? WatchedThreads::FirstSamples::kForThemselves
                   : WatchedThreads::FirstSamples::kForOthers),
      held_(threads_, request_.samples.interval, events_,
            not_exact_.empty() ? HeldAllocations::Exact::kKnown : HeldAllocations::Exact::kUnknown),
      bias_(JdkRelease(context.jvm_events.jvmti()), request_.samples.interval),
      has_virtual_threads_(JdkRelease(context.jvm_events.jvmti()) >= kFirstJdkWithVirtualThreads),
      live_(options.live ? std::make_unique<LiveObjects>(context) : nullptr) {}

// HotSpot gives the capability to one agent at a time (jdk-17+35
// src/hotspot/share/prims/jvmtiManageCapabilities.cpp, init_always_solo_capabilities).
Status AllocEngine::Prepare() const {
  jvmtiEnv* const jvmti = context_.jvm_events.jvmti();
  const int release = JdkRelease(jvmti);
  if (release < kFirstRelease) {
    return Error("alloc needs JDK 11 or later: JDK " + std::to_string(std::max(release, 8)) +
                 " does not sample allocations");
  }
  jvmtiCapabilities free{};
  static_cast<void>(jvmti->GetPotentialCapabilities(&free));
  if (free.can_generate_sampled_object_alloc_events != 0) {
    return live_ == nullptr ? Status() : CollectionLog::Check(context_.structs);
  }
  return Error(
      "another agent of this JVM samples allocations, which one agent alone can "
      "(can_generate_sampled_object_alloc_events): end that one, or leave out alloc");
}

// Threads are read when the JVM has begun: what they allocate while it prepares does not count.
Status AllocEngine::Start() {
  Status done = Prepare();
  if (!done) return done;
  if (live_ != nullptr) done = live_->Begin();
  if (!done) return done;
  if (JNIEnv* const jni = context_.jvm_events.CurrentJni(); jni != nullptr) {
    told_ = ToldThread::OfProcess(context_.jvm_events.jvmti(), jni);
  }
  Result<JvmEvents::Subscription> subscription =
      context_.jvm_events.Subscribe(*this, {JVMTI_EVENT_SAMPLED_OBJECT_ALLOC});
  if (subscription) {
    subscription_ = std::move(subscription).value();
    done = SetJvmInterval(request_.samples.interval);
  } else {
    done = subscription.error();
  }
  if (!done) {
    Stop();
    return done;
  }
  Sampling().SetInterval(SampleKind::kAlloc, request_.samples.interval);
  threads_.Begin();
  is_sampling_.store(true, std::memory_order_relaxed);
  return {};
}

// The capability is one agent's alone: nobody else's interval is in force.
Status AllocEngine::SetJvmInterval(int64_t bytes) const {
  return CheckAccepted(
      context_.jvm_events.jvmti()->SetHeapSamplingInterval(static_cast<jint>(bytes)),
      "SetHeapSamplingInterval");
}

// A gap that is drawn between both steps has the one interval and is taken for one of the other; so
// is the one of a thread that is between its draw and its callback now, and of one that is just
// being made (docs/allocations.md).
void AllocEngine::AdaptInterval() {
  if (VmIsOutOfReach()) return;
  const std::lock_guard lock(interval_mutex_);
  const uint16_t factor = rate_.Wanted(MonotonicNanos());
  if (!is_sampling_.load(std::memory_order_relaxed) || factor == rate_.factor()) return;
  if (SetJvmInterval(request_.samples.interval * factor)) rate_.Use(factor);
}

bool AllocEngine::Stop() {
  const bool was_sampling = [this] {
    const std::lock_guard lock(interval_mutex_);
    if (!is_sampling_.exchange(false, std::memory_order_relaxed)) return false;
    static_cast<void>(SetJvmInterval(kJvmDefaultInterval));  // fails where the VM is dead
    return true;
  }();
  if (was_sampling) held_.Stop();
  bool may_go = subscription_.CancelAndWait();
  if (live_ != nullptr) may_go = live_->End() && may_go;
  threads_.End();
  Sampling().SetInterval(SampleKind::kAlloc, 0);
  return may_go;
}

std::string AllocEngine::Description() const {
  const std::string every = "alloc every " + std::to_string(request_.samples.interval) + " bytes";
  if (!rate_.is_bounded()) return every;
  return every + " (at most " + std::to_string(RateBound::kMostPerSecond) + " a second)";
}

// `alloc` is what async-profiler's converter reads.
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
  AdaptInterval();
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

void AllocEngine::BeforeLastDrain(JNIEnv*) {
  held_.EndPeriod();
  if (live_ != nullptr) live_->SnapshotIsDue();
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

std::optional<Result<std::string>> AllocEngine::CarryOut(Command command, JNIEnv* jni) {
  if (live_ == nullptr || command != Command::kCollect) return std::nullopt;
  return live_->Collect(jni);
}

std::vector<std::string> AllocEngine::Totals() const {
  std::vector<std::string> totals = {held_.Total()};
  std::string live = live_ == nullptr ? "" : live_->Total();
  if (!live.empty()) totals.push_back(std::move(live));
  return totals;
}

std::vector<std::string> AllocEngine::TakeNotes() {
  std::string warning = is_sampling_.load(std::memory_order_relaxed) ? "" : bias_.Warning();
  return warning.empty() ? std::vector<std::string>() : std::vector{std::move(warning)};
}

uint64_t AllocEngine::Forget() {
  held_.Forget();
  if (live_ != nullptr) live_->Forget();
  return 0;  // samples are counted where they are dropped
}

void AllocEngine::OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread announced,
                                       jobject object, jclass sampled, jlong object_bytes) {
  if (!is_sampling_.load(std::memory_order_relaxed)) return;
  const uint16_t next_factor = rate_.factor();  // as soon as possible: RateBound
  const ErrnoSaver saver;
  // A thread without a slot is not known to the filter, and its sample is lost.
  ThreadSlot* const thread = GetThreadSlots()->FindForCurrentThread();
  if (thread == nullptr && !request_.filter.empty()) return;
  const WatchedThreads::Admission admission =
      threads_.Admit(jni, thread == nullptr ? 0 : thread->serial.load(std::memory_order_relaxed),
                     next_factor, has_virtual_threads_ && IsVirtualThread(jni, announced));
  if (admission.number == 0) return;
  const auto size = static_cast<uint64_t>(object_bytes);
  const uint16_t factor = admission.interval_factor;
  rate_.Count(size, std::max<uint16_t>(factor, 1));
  const ObjectWeight weight = factor == 0
                                  ? ObjectWeight{static_cast<double>(size), 0}
                                  : ObjectWeight::Of(size, request_.samples.interval * factor);
  const bool is_own = IsInBootClass(jvmti, jni);
  const AllocPayload payload{
      .object_bytes = size,
      .class_number = is_own ? 0 : context_.classes.NumberOf(jvmti, jni, sampled),
      .thread_number = admission.number,
      .interval_factor = factor,
      .is_outside_tlab = counters_.IsOutsideTlab(jni, object)};
  const auto rounded = static_cast<uint64_t>(std::llround(weight.bytes));
  const CallingThread allocating(ToldThread::IdOf(told_, jni, announced));
  if (live_ == nullptr || is_own) {
    TakeSample(AllocSampling(rounded, payload, nullptr), allocating, thread);
    return;
  }
  Birth birth(live_->pending());
  TakeSample(AllocSampling(rounded, payload, &birth), allocating, thread);
  ReferencedObject referenced;
  referenced.thread_number = admission.number;
  referenced.class_number = payload.class_number;
  referenced.bytes = size;
  referenced.weight = weight.bytes;
  referenced.error = weight.standard_error;
  live_->Add(jni, object, birth, std::move(referenced));
}

}  // namespace jprof
