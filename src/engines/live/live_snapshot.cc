#include "engines/live/live_snapshot.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "chunks/class_constants.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

// Of so many expected samples there are none in 5 of 100 cases: e^-3.
constexpr double kUnseenAt95 = 3;

uint64_t Rounded(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

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
    event.weight_bytes = Rounded(object.ThinnedWeight());
    event.error_bytes = Rounded(std::sqrt(object.ThinnedVariance()));
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
  event.weight_bytes = Rounded(weight);
  event.error_bytes = Rounded(std::sqrt(variance));
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

}  // namespace jprof
