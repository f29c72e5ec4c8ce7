#include "engines/alloc/collection_log.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/perf_counters.h"
#include "jvm/jvm_errors.h"
#include "jvm/vm_flags.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The smallest region of G1 (OpenJDK jdk-17+35 src/hotspot/share/gc/g1/heapRegionBounds.hpp).
constexpr uint64_t kSmallestRegion = 1 << 20;

bool Uses(const VmStructs& structs, std::string_view flag) {
  return BoolFlag(structs, flag).value_or(false);
}

}  // namespace

std::optional<Collection> CollectionRules::Judge(const GcPause& pause) {
  if (pause.collector_number == kConcurrent) return Concurrent();
  was_concurrent_ = false;
  return pause.collector_number == kFull ? Full(pause) : Young(pause);
}

Collection CollectionRules::Young(const GcPause& pause) {
  if (first_young_ns_ == 0) first_young_ns_ = pause.start_ns;
  return {pause.start_ns, Collection::Frees::kYoung};
}

// A full collection also ends a concurrent cycle that is under way.
Collection CollectionRules::Full(const GcPause& pause) {
  knows_cycles_ = true;
  is_after_remark_ = false;
  first_young_ns_ = 0;
  return {pause.start_ns, Collection::Frees::kAll};
}

// A concurrent cycle of G1 starts with a young pause. The Remark pause of the cycle frees the
// objects that are not marked. The Cleanup pause ends the cycle. Objects allocated after the start
// of the cycle count as marked. The JVM does not report which young pause started the cycle. Two
// concurrent pauses without a young pause in between are the Remark and the Cleanup of one cycle.
std::optional<Collection> CollectionRules::Concurrent() {
  const bool is_second = std::exchange(was_concurrent_, true);
  const bool is_cleanup = is_after_remark_ || is_second;
  is_after_remark_ = !is_cleanup;
  if (!is_cleanup) {
    return Collection{knows_cycles_ ? first_young_ns_ : 0, Collection::Frees::kAll};
  }
  knows_cycles_ = true;
  first_young_ns_ = 0;
  return std::nullopt;
}

CollectionLog::CollectionLog(JvmEvents& events, const VmStructs& structs)
    : events_(events),
      needs_canaries_(HasConcurrentCollector(structs)),
      half_region_bytes_(
          Uses(structs, "UseG1GC")
              ? std::max(SizeFlag(structs, "G1HeapRegionSize").value_or(0), kSmallestRegion) / 2
              : 0) {
  const PerfCounters counters = PerfCounters::Open(structs.statics.perf_memory);
  pauses_ = std::make_unique<GcPauses>(counters);
  // A concurrent cycle has two pauses. If the number of these pauses so far is odd, a cycle is
  // under way, unless a full collection has ended the cycle.
  const int64_t* const cycle_pauses = counters.Number("sun.gc.collector.2.invocations");
  if (cycle_pauses != nullptr && *cycle_pauses % 2 != 0) {
    rules_ = CollectionRules(CollectionRules::InCycle::kYes);
  }
  eden_bytes_ = counters.Number("sun.gc.generation.0.space.0.capacity");
}

CollectionLog::~CollectionLog() {
  JNIEnv* const jni = events_.CurrentJni();
  if (jni == nullptr) return;
  canaries_.Clear([jni](jweak reference) { jni->DeleteWeakGlobalRef(reference); });
}

Status CollectionLog::Check(const VmStructs& structs) {
  if (!Uses(structs, "UseEpsilonGC")) return {};
  return Error("live needs garbage collections, and Epsilon never collects: leave out live");
}

Status CollectionLog::Begin() {
  Result<JvmEvents::Subscription> subscription = events_.Subscribe(
      *this, {JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  if (JNIEnv* const jni = events_.CurrentJni(); needs_canaries_ && jni != nullptr) {
    const std::lock_guard lock(mutex_);
    AddCanary(jni);  // for a collection before the first Take
  }
  return {};
}

void CollectionLog::OnGarbageCollectionStart(jvmtiEnv*) {
  pause_start_ns_ = MonotonicNanos();
  pauses_->OnStart();
}

void CollectionLog::OnGarbageCollectionFinish(jvmtiEnv*) {
  pauses_->OnFinish();
  if (pause_start_ns_ == 0) return;
  paused_ns_.fetch_add(MonotonicNanos() - pause_start_ns_, std::memory_order_relaxed);
  pause_start_ns_ = 0;
}

std::vector<Collection> CollectionLog::Take(JNIEnv* jni, Nanos newest_ns) {
  if (needs_canaries_) return TakeByCanaries(jni, newest_ns);
  std::vector<Collection> collections;
  pauses_->Take([&](GcPause pause) {
    // Loads the end before the start, so that the start belongs to the forced collection that has
    // this end, or to a later one.
    const bool is_forced = pause.start_ns <= forced_end_ns_.load(std::memory_order_acquire) &&
                           pause.start_ns >= forced_begin_ns_.load(std::memory_order_relaxed);
    if (is_forced) pause.collector_number = CollectionRules::kFull;
    if (const auto collection = rules_.Judge(pause)) collections.push_back(*collection);
  });
  return collections;
}

// Looks at the canaries before it takes the pauses. If a collection has freed a canary by then, the
// pauses of that collection are among those taken.
std::vector<Collection> CollectionLog::TakeByCanaries(JNIEnv* jni, Nanos newest_ns) {
  const std::lock_guard lock(mutex_);
  const std::optional<Nanos> youngest_ns = canaries_.TakeFreed(
      [jni](jweak reference) { return jni->IsSameObject(reference, nullptr) == JNI_TRUE; },
      [jni](jweak reference) { jni->DeleteWeakGlobalRef(reference); });
  pauses_->Take([this](const GcPause& pause) { canaries_.AddPause(pause.start_ns); });
  const uint64_t missed = pauses_->missed();
  if (std::exchange(missed_pauses_, missed) != missed) canaries_.ForgetPauses(MonotonicNanos());
  std::vector<Collection> collections;
  if (youngest_ns) {
    collections.push_back({canaries_.StartAfter(*youngest_ns), Collection::Frees::kAll});
  }
  if (canaries_.LacksOneAfter(newest_ns)) AddCanary(jni);
  return collections;
}

// Adds no canary at the end of the JVM: the allocation might wait forever.
void CollectionLog::AddCanary(JNIEnv* jni) {
  if (events_.is_ending()) return;
  const Nanos now_ns = MonotonicNanos();
  jweak reference = nullptr;
  if (jobject const object = jni->NewByteArray(0)) {
    reference = jni->NewWeakGlobalRef(object);
    jni->DeleteLocalRef(object);
  }
  // If memory is full, a later call tries again.
  if (jni->ExceptionCheck() == JNI_TRUE) jni->ExceptionClear();
  if (reference == nullptr) return;
  canaries_.Add(now_ns, reference, [jni](jweak old) { jni->DeleteWeakGlobalRef(old); });
}

Result<CollectionLog::Forced> CollectionLog::Force(JNIEnv* jni) {
  if (needs_canaries_) {
    const std::lock_guard lock(mutex_);
    AddCanary(jni);
  }
  const Nanos start_ns = MonotonicNanos();
  forced_begin_ns_.store(start_ns, std::memory_order_relaxed);
  const Nanos paused_ns = paused_ns_.load(std::memory_order_relaxed);
  const Status collected =
      CheckAccepted(events_.jvmti()->ForceGarbageCollection(), "ForceGarbageCollection");
  if (!collected) return collected.error();
  const Nanos end_ns = MonotonicNanos();
  forced_end_ns_.store(end_ns, std::memory_order_release);
  return Forced{end_ns - start_ns, paused_ns_.load(std::memory_order_relaxed) - paused_ns};
}

// Applies the rules of OpenJDK jdk-17+35 src/hotspot/share/gc/g1/g1CollectedHeap.hpp,
// humongous_threshold_for, and gc/parallel/parallelScavengeHeap.inline.hpp, should_alloc_in_eden.
uint64_t CollectionLog::LargestYoungBytes() const {
  if (half_region_bytes_ != 0) return half_region_bytes_;
  if (eden_bytes_ == nullptr) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(*eden_bytes_) / 2;
}

}  // namespace jprof
