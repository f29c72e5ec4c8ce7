// CollectionRules: which objects a collection could have freed, by its pauses. Of Serial, Parallel
// and G1; of the others the pauses do not tell (collection_log.h).
//
// One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "jvm/gc_pauses.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct Collection {
  enum class Frees : bool { kYoung, kAll };

  Nanos before_ns;  // objects older than this; 0: none
  Frees frees;
};

class CollectionRules {
 public:
  // In which of the VM's counters a pause is counted, sun.gc.collector.N (OpenJDK jdk-25+36
  // src/hotspot/share/gc/g1/g1MonitoringSupport.cpp, serial/serialHeap.cpp,
  // parallel/psParallelCompact.cpp). Without counters a pause is taken for a young one.
  static constexpr int kFull = 1;
  static constexpr int kConcurrent = 2;

  // The next concurrent pause of G1 ends a cycle.
  enum class InCycle : bool { kNo, kYes };

  explicit CollectionRules(InCycle in_cycle) : is_after_remark_(in_cycle == InCycle::kYes) {}

  // nullopt: the pause frees nothing.
  std::optional<Collection> Judge(const GcPause& pause);

 private:
  Collection Young(const GcPause& pause);
  Collection Full(const GcPause& pause);
  std::optional<Collection> Concurrent();

  bool knows_cycles_ = false;    // the begin of the next concurrent cycle will be seen
  bool is_after_remark_;         // the next concurrent pause is the Cleanup of this cycle
  bool was_concurrent_ = false;  // the pause before
  Nanos first_young_ns_ = 0;     // since the last cycle: no cycle has begun earlier
};

}  // namespace jprof
