#include "engines/alloc/live_objects.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/scaled_text.h"
#include "chunks/class_constants.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "engines/alloc/alloc_events.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/exit_watch.h"
#include "jvm/jvm_errors.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// If this many samples are expected, none is taken in 5 of 100 cases (e^-3).
constexpr double kUnseenAt95 = 3;

uint32_t ThreadKey(const ReferencedObject& object, ThreadConstants& threads) {
  if (object.thread.is_virtual()) {
    return threads.KeyOfVirtual(object.thread.virtual_id(), object.virtual_name);
  }
  return object.platform_thread == nullptr ? 0 : threads.KeyOf(*object.platform_thread);
}

std::string NotMeasured(const std::string& reason) {
  return "live: not measured, because " + reason;
}

std::string WhyNotMeasured(const Snapshot& snapshot) {
  if (snapshot.new_objects == 0) return "no object was sampled";
  const std::string objects = std::to_string(snapshot.new_objects) +
                              (snapshot.new_objects == 1 ? " sampled object" : " sampled objects");
  return "no garbage collection could have freed any of " + objects + " yet: --gc forces one";
}

// The maximum number of objects in the table: tens of thousands of weak references slow some
// collectors down (docs/live-objects.md).
constexpr size_t kMostObjects = 10'000;
// The maximum number of new objects between two drains.
constexpr size_t kMostIncoming = 4'000;

auto DeleteBy(JNIEnv* jni) {
  return [jni](jweak reference) { jni->DeleteWeakGlobalRef(reference); };
}

}  // namespace

void Snapshot::Write(const std::vector<ReferencedObject>& live, OpenChunk& open) {
  for (const ReferencedObject& object : live) {
    if (object.age == 0 || object.time_ns > time_ns) {
      ++new_objects;
      continue;
    }
    SurvivingObject event;
    event.time_ns = time_ns;
    event.thread_key = ThreadKey(object, open.threads);
    event.stack_key = open.stacks.KeyOf(object.trace, object.time_ns);
    event.class_key = object.type == nullptr ? 0 : ClassKey(*object.type, open.writer.pools());
    event.object_bytes = object.bytes;
    event.weight_bytes = RoundedBytes(object.ThinnedWeight());
    event.error_bytes = RoundedBytes(std::sqrt(object.ThinnedVariance()));
    event.allocation_ns = object.time_ns;
    event.age = object.age;
    open.writer.Append(LiveObject{event.time_ns, event.thread_key, event.stack_key, event.class_key,
                                  event.weight_bytes, event.allocation_ns});
    open.writer.Append(event);
    ++objects;
    weight += object.ThinnedWeight();
    variance += object.ThinnedVariance();
    thinning = std::max(thinning, object.factor);
  }
  LiveSnapshot event;
  event.time_ns = time_ns;
  event.collections = collections;
  event.old_collections = old_collections;
  event.objects = objects;
  event.new_objects = new_objects;
  event.weight_bytes = RoundedBytes(weight);
  event.error_bytes = RoundedBytes(std::sqrt(variance));
  event.thinning = static_cast<uint32_t>(std::ceil(std::min(thinning, 0x1p31)));
  event.is_forced = is_forced;
  open.writer.Append(event);
}

std::string Snapshot::Text() const {
  const std::string counts = " (collections: " + std::to_string(collections) +
                             ", of all objects: " + std::to_string(old_collections) + ")";
  if (judged == 0) return NotMeasured(WhyNotMeasured(*this) + counts);
  char text[96];
  if (objects == 0) {
    std::snprintf(text, sizeof text,
                  "live: less than %.2f MB at 95 %%, as none of %" PRIu64
                  " sampled objects was alive",
                  kUnseenAt95 * resolution / (1 << 20), judged);
  } else {
    std::snprintf(text, sizeof text, "live: %.2f MB ± %.1f %%", weight / (1 << 20),
                  100 * std::sqrt(variance) / weight);
  }
  return text + counts;
}

std::string Snapshot::TextOfNone() {
  return NotMeasured("the first snapshot comes with the next dump, chunk or stop");
}

LiveObjects::LiveObjects(const EngineContext& context)
    : context_(context),
      collections_(context.jvm_events, context.structs),
      incoming_(kMostIncoming, static_cast<uint64_t>(MonotonicNanos())),
      table_(kMostObjects, ~static_cast<uint64_t>(MonotonicNanos())) {
  taken_.reserve(kMostIncoming);
}

LiveObjects::~LiveObjects() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return;
  const auto all = [](const ReferencedObject&) { return true; };
  table_.Sweep(all, DeleteBy(jni));
  incoming_.Sweep(all, DeleteBy(jni));
}

void LiveObjects::Add(JNIEnv* jni, jobject reference, const PendingObject& pending,
                      ReferencedObject object) {
  if (pending.is_outside()) return;
  {
    const std::lock_guard lock(mutex_);
    object.factor = incoming_.Admit(object.weight);
  }
  if (object.factor == 0) return;
  object.reference = jni->NewWeakGlobalRef(reference);
  if (object.reference == nullptr) {
    if (jni->ExceptionCheck() == JNI_TRUE) jni->ExceptionClear();  // out of memory
    const std::lock_guard lock(mutex_);
    ++unreferenced_;
    return;
  }
  object.time_ns = pending.time_ns() != 0 ? pending.time_ns() : MonotonicNanos();
  object.thread = pending.thread();
  object.trace = pending.trace();
  const std::lock_guard lock(mutex_);
  incoming_.Add(std::move(object), DeleteBy(jni));
}

void LiveObjects::AddSettings(EventSettings& settings) const {
  settings.Enable(JfrType::kLiveObject);
  settings.Enable(JfrType::kSurvivingObject);
  settings.Enable(JfrType::kLiveSnapshot);
}

void LiveObjects::KeepLive(LiveCallTraces& live) const {
  pending_.KeepLive(live);
  const auto keep = [&live](const LiveTable& table) {
    for (const ReferencedObject& object : table.objects()) live.Keep(object.trace);
  };
  keep(table_);
  const std::lock_guard lock(mutex_);
  keep(incoming_);
}

// Moves new objects to table_. Gives incoming_ the current threshold of table_, so that later light
// objects are admitted with the probability that this threshold requires.
void LiveObjects::TakeIncoming() {
  JNIEnv* const jni = VmIsOutOfReach() ? nullptr : context_.jvm_events.CurrentJni();
  if (jni == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    taken_.swap(incoming_.objects());
    incoming_.set_threshold(table_.threshold());
  }
  for (ReferencedObject& object : taken_) {
    newest_ns_ = std::max(newest_ns_, object.time_ns);
    others_ = std::max(others_, object.weight - static_cast<double>(object.bytes));
    table_.Add(std::move(object), DeleteBy(jni));
  }
  taken_.clear();
}

// Takes new objects into the table, removes freed objects, and describes the objects that are left.
void LiveObjects::Look(ThreadConstants* threads, Judge judge) {
  TakeIncoming();
  JNIEnv* const jni = VmIsOutOfReach() ? nullptr : context_.jvm_events.CurrentJni();
  if (jni != nullptr) Sweep(jni, judge);
  for (ReferencedObject& object : table_.objects()) Describe(object, threads);
}

void LiveObjects::Sweep(JNIEnv* jni, Judge judge) {
  const std::vector<Collection> collections = collections_.Take(jni, newest_ns_);
  if (collections.empty() && judge == Judge::kAfterCollections) return;
  table_.Sweep(
      [this, jni](const ReferencedObject& object) {
        const bool is_dead = jni->IsSameObject(object.reference, nullptr) == JNI_TRUE;
        judged_ += is_dead && object.age == 0 ? 1 : 0;
        return is_dead;
      },
      DeleteBy(jni));
  Survive(collections);
}

// Ages the objects in the table, all of which have survived `collections`.
void LiveObjects::Survive(const std::vector<Collection>& collections) {
  const uint64_t largest_young = collections_.LargestYoungBytes();
  for (const Collection& collection : collections) {
    ++collection_count_;
    const bool is_old = collection.frees == Collection::Frees::kAll;
    old_collection_count_ += is_old ? 1 : 0;
    for (ReferencedObject& object : table_.objects()) {
      if (object.time_ns >= collection.before_ns) continue;
      const bool could_be_freed =
          is_old || (!object.has_survived_young && object.bytes <= largest_young);
      judged_ += could_be_freed && object.age == 0 ? 1 : 0;
      object.age += could_be_freed ? 1 : 0;
      object.has_survived_young = true;
    }
  }
}

// Copies the object's thread and class while they are still known. Names of virtual threads are
// known only in an open chunk.
void LiveObjects::Describe(ReferencedObject& object, ThreadConstants* threads) {
  if (std::exchange(object.is_described, true)) return;
  object.type = context_.classes.Find(object.class_number);
  if (object.thread == SampledThread()) return;  // its sample was lost
  if (!object.thread.is_virtual()) {
    object.platform_thread =
        context_.registry.names().Find(object.thread.serial(), object.thread.tid());
  } else if (threads != nullptr) {
    object.virtual_name = threads->NameOf(object.thread);
  }
}

void LiveObjects::AfterSamples(OpenChunk& open) {
  Look(&open.threads, open.is_last ? Judge::kNow : Judge::kAfterCollections);
  if (!open.is_last) return;
  Snapshot snapshot;
  snapshot.time_ns = open.now_ns;
  snapshot.collections = collection_count_;
  snapshot.old_collections = old_collection_count_;
  snapshot.judged = judged_;
  snapshot.resolution = std::max(others_, table_.threshold());
  {
    const std::lock_guard lock(mutex_);
    snapshot.is_forced = std::exchange(is_forced_, false);
  }
  snapshot.Write(table_.objects(), open);
  const std::lock_guard lock(mutex_);
  last_ = snapshot;
}

Result<std::string> LiveObjects::Collect(JNIEnv* jni) {
  const Result<CollectionLog::Forced> forced = collections_.Force(jni);
  if (!forced) return forced.error();
  {
    const std::lock_guard lock(mutex_);
    is_forced_ = true;
  }
  const auto elapsed_ns = static_cast<double>(forced.value().elapsed_ns);
  const auto pause_ns = static_cast<double>(forced.value().pause_ns);
  return "gc: collected in " + RoundedDurationText(elapsed_ns) +
         ", of which Java stood still for " + RoundedDurationText(pause_ns);
}

std::string LiveObjects::Total() const {
  const std::lock_guard lock(mutex_);
  std::string text = last_.time_ns == 0 ? Snapshot::TextOfNone() : last_.Text();
  if (unreferenced_ != 0) {
    text += ", " + std::to_string(unreferenced_) + " objects without a reference: out of memory";
  }
  return text;
}

}  // namespace jprof
