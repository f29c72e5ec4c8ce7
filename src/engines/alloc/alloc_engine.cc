#include "engines/alloc/alloc_engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "audit/stack_audit.h"
#include "engines/alloc/alloc_events.h"
#include "engines/method/boot_class.h"
#include "jvm/exit_watch.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

constexpr int kFirstRelease = 11;  // JEP 331

// The sampling interval with which a JVM starts: OpenJDK jdk-17+35
// src/hotspot/share/runtime/threadHeapSampler.cpp, _sampling_interval.
constexpr int64_t kJvmDefaultInterval = 512 * 1024;

// From this release on, the JVM counts down the bytes to a thread's next sample even while no agent
// samples (docs/allocations.md).
constexpr int kFirstToCountWhileOff = 25;

std::string WhyNotExact(const Options& options, const AllocatedBytes& counters) {
  if (!counters.are_known()) return "none: this JVM does not export the counters of its threads";
  return options.window.are_given() ? "none: the counters of threads know no windows" : "";
}

}  // namespace

AllocSampler::AllocSampler(const EngineContext& context, const EngineRequest& request,
                           bool is_bounded, LiveObjects* live)
    : context_(context),
      interval_(request.samples.interval),
      is_filtered_(!request.filter.empty()),
      release_(JdkRelease(context.jvm_events.jvmti())),
      live_(live),
      counters_(context.layout),
      rate_(interval_, is_bounded),
      threads_(context.registry, counters_, rate_,
               release_ >= kFirstToCountWhileOff ? WatchedThreads::FirstSamples::kForThemselves
                                                 : WatchedThreads::FirstSamples::kForOthers) {}

// Looks for the capability can_generate_sampled_object_alloc_events, which HotSpot gives to one
// agent at a time (jdk-17+35 src/hotspot/share/prims/jvmtiManageCapabilities.cpp,
// init_always_solo_capabilities).
Status AllocSampler::Check() const {
  if (release_ < kFirstRelease) {
    return Error("alloc needs JDK 11 or later: JDK " + std::to_string(std::max(release_, 8)) +
                 " does not sample allocations");
  }
  jvmtiCapabilities free{};
  static_cast<void>(context_.jvm_events.jvmti()->GetPotentialCapabilities(&free));
  if (free.can_generate_sampled_object_alloc_events != 0) return {};
  return Error(
      "another agent of this JVM samples allocations, which one agent alone can "
      "(can_generate_sampled_object_alloc_events): end that one, or leave out alloc");
}

// First starts the JVM's sampler, then reads the counters of threads (threads_.Begin). So bytes
// that threads allocate before samples are possible do not count.
Status AllocSampler::Start() {
  if (JNIEnv* const jni = context_.jvm_events.CurrentJni(); jni != nullptr) {
    callback_thread_ = CallbackThread::OfProcess(context_.jvm_events.jvmti(), jni);
  }
  Result<JvmEvents::Subscription> subscription =
      context_.jvm_events.Subscribe(*this, {JVMTI_EVENT_SAMPLED_OBJECT_ALLOC});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  const Status set = SetJvmInterval(interval_);
  if (!set) return set;
  Sampling().SetInterval(SampleKind::kAlloc, interval_);
  threads_.Begin();
  is_sampling_.store(true, std::memory_order_relaxed);
  return {};
}

// The JVM has one interval for all agents. This function cannot overwrite the interval of another
// agent, because only one agent at a time has the capability to sample allocations.
Status AllocSampler::SetJvmInterval(int64_t bytes) const {
  return CheckAccepted(
      context_.jvm_events.jvmti()->SetHeapSamplingInterval(static_cast<jint>(bytes)),
      "SetHeapSamplingInterval");
}

// A gap is the number of bytes that a thread allocates between two samples. A change of the
// interval attributes some gaps to the wrong interval (docs/allocations.md): the gaps that the JVM
// draws between the calls of SetJvmInterval and RateBound::Use, the gaps that the JVM has just
// drawn for threads that have not entered OnSampledObjectAlloc yet, and the first gap of a thread
// that is just being created.
void AllocSampler::AdaptInterval() {
  if (VmIsOutOfReach()) return;
  const std::lock_guard lock(interval_mutex_);
  const uint16_t factor = rate_.Wanted(MonotonicNanos());
  if (!is_sampling() || factor == rate_.factor()) return;
  if (SetJvmInterval(interval_ * factor)) rate_.Use(factor);
}

bool AllocSampler::StopSampling() {
  const std::lock_guard lock(interval_mutex_);
  if (!is_sampling_.exchange(false, std::memory_order_relaxed)) return false;
  static_cast<void>(SetJvmInterval(kJvmDefaultInterval));  // fails if the VM is dead
  return true;
}

bool AllocSampler::End() {
  const bool may_go = subscription_.CancelAndWait();
  threads_.End();
  Sampling().SetInterval(SampleKind::kAlloc, 0);
  return may_go;
}

void AllocSampler::OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread announced,
                                        jobject object, jclass sampled, jlong object_bytes) {
  if (!is_sampling()) return;
  const uint16_t next_factor = rate_.factor();  // read first: the JVM has just drawn the next gap
  const ErrnoSaver saver;
  // With a filter, a thread without a slot is not sampled, because it is unknown whether the filter
  // selects that thread.
  ThreadSlot* const thread = GetThreadSlots()->FindForCurrentThread();
  if (thread == nullptr && is_filtered_) return;
  const WatchedThreads::Admission admission = threads_.Admit(
      jni, thread == nullptr ? 0 : thread->serial.load(std::memory_order_relaxed), next_factor,
      release_ >= kFirstJdkWithVirtualThreads && IsVirtualThread(jni, announced));
  if (admission.number == 0) return;
  const auto size = static_cast<uint64_t>(object_bytes);
  const uint16_t factor = admission.interval_factor;
  rate_.Count(size, std::max<uint16_t>(factor, 1));
  const ObjectWeight weight = factor == 0 ? ObjectWeight{static_cast<double>(size), 0}
                                          : ObjectWeight::Of(size, interval_ * factor);
  const bool is_own = IsInBootClass(jvmti, jni);
  const AllocPayload payload{
      .object_bytes = size,
      .class_number = is_own ? 0 : context_.classes.NumberOf(jvmti, jni, sampled),
      .thread_number = admission.number,
      .interval_factor = factor,
      .is_outside_tlab = counters_.IsOutsideTlab(jni, object)};
  const uint64_t rounded = RoundedBytes(weight.bytes);
  const auto allocating = Subject::Reported(CallbackThread::IdOf(callback_thread_, jni, announced));
  std::optional<PendingObject> pending;
  if (live_ != nullptr && !is_own) pending.emplace(live_->pending());
  const StackAudit audit(jvmti, jni);
  TakeSample(thread, allocating, audit.source(),
             AllocSampling(rounded, payload, pending ? &*pending : nullptr));
  if (!pending) return;
  ReferencedObject referenced;
  referenced.thread_number = admission.number;
  referenced.class_number = payload.class_number;
  referenced.bytes = size;
  referenced.weight = weight.bytes;
  referenced.error = weight.standard_error;
  live_->Add(jni, object, *pending, std::move(referenced));
}

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
  return 0;  // lost samples are counted where they are dropped
}

}  // namespace jprof
