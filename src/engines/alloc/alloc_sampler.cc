#include "engines/alloc/alloc_sampler.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

// The interval of a JVM that no agent has changed: OpenJDK jdk-17+35
// src/hotspot/share/runtime/threadHeapSampler.cpp, _sampling_interval.
constexpr int64_t kJvmDefaultInterval = 512 * 1024;

// From this release on, the counter to a thread's next sample runs while no agent samples
// (docs/allocations.md).
constexpr int kFirstToCountWhileOff = 25;

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

// Looks for the capability, which HotSpot gives to one agent at a time (jdk-17+35
// src/hotspot/share/prims/jvmtiManageCapabilities.cpp, init_always_solo_capabilities).
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

// The counters of threads are read after the JVM has started sampling: bytes that threads allocate
// while it prepares do not count.
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

// The capability is one agent's alone: no other agent's interval is in force.
Status AllocSampler::SetJvmInterval(int64_t bytes) const {
  return CheckAccepted(
      context_.jvm_events.jvmti()->SetHeapSamplingInterval(static_cast<jint>(bytes)),
      "SetHeapSamplingInterval");
}

// A gap that the JVM draws between SetJvmInterval and Use is attributed to the wrong interval; so
// is the gap of a thread that is between its draw and its callback now, and of a thread that is
// just being created (docs/allocations.md).
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
  static_cast<void>(SetJvmInterval(kJvmDefaultInterval));  // fails where the VM is dead
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
  const uint16_t next_factor = rate_.factor();  // as soon as possible: RateBound
  const ErrnoSaver saver;
  // With a filter, a thread without a slot is not sampled: the filter does not know it.
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
  const CallingThread allocating(CallbackThread::IdOf(callback_thread_, jni, announced));
  std::optional<Birth> birth;
  if (live_ != nullptr && !is_own) birth.emplace(live_->pending());
  TakeSample(AllocSampling(rounded, payload, birth ? &*birth : nullptr), allocating, thread);
  if (!birth) return;
  ReferencedObject referenced;
  referenced.thread_number = admission.number;
  referenced.class_number = payload.class_number;
  referenced.bytes = size;
  referenced.weight = weight.bytes;
  referenced.error = weight.standard_error;
  live_->Add(jni, object, *birth, std::move(referenced));
}

}  // namespace jprof
