#include "engines/live/collection_rules.h"

#include <utility>

namespace jprof {
std::optional<Collection> CollectionRules::Judge(const GcPause& pause) {
  if (pause.collector_number == kConcurrent) return Concurrent();
  was_concurrent_ = false;
  return pause.collector_number == kFull ? Full(pause) : Young(pause);
}

Collection CollectionRules::Young(const GcPause& pause) {
  if (first_young_ns_ == 0) first_young_ns_ = pause.start_ns;
  return {pause.start_ns, Collection::Frees::kYoung};
}

// Ends a cycle that is under way.
Collection CollectionRules::Full(const GcPause& pause) {
  knows_cycles_ = true;
  is_after_remark_ = false;
  first_young_ns_ = 0;
  return {pause.start_ns, Collection::Frees::kAll};
}

// A cycle of G1: a young pause begins it, Remark frees what is not marked, Cleanup ends it. Objects
// that are younger than its begin count as marked; which young pause it was the JVM does not say.
// Two concurrent pauses without a young one between are a Remark and its Cleanup.
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

}  // namespace jprof
