// CollectionLog: the garbage collections of the JVM, and which objects each could have freed.
//
// Serial, Parallel and G1 tell it by their pauses. ZGC and Shenandoah pause several times in a
// collection, and do not say which pause starts it: there objects of ours that only weak references
// hold tell it (canaries.h).
//
// Callbacks inside safepoints only store. Take, Force: threads that are attached to the JVM.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engines/live/canaries.h"
#include "jvm/gc_pauses.h"
#include "jvm/jvm_events.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

// CollectionRules: which objects a collection could have freed, by its pauses. Of Serial, Parallel
// and G1; of the others the pauses do not tell (collection_log.h).
//
//
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

class CollectionLog final : private JvmEventListener {
 public:
  // REQUIRES: both outlive the object.
  CollectionLog(JvmEvents& events, const VmStructs& structs);
  ~CollectionLog() override;

  Status Begin();
  // False: as Engine::Stop.
  bool End() { return subscription_.CancelAndWait(); }

  // An error where this JVM never collects.
  static Status Check(const VmStructs& structs);

  // Returns the collections that have ended since the last call, in their order. `newest_ns`: when
  // the youngest object was allocated that the caller wants to judge. The recorder's thread.
  std::vector<Collection> Take(JNIEnv* jni, Nanos newest_ns);

  struct Forced {
    Nanos elapsed_ns;  // of the call
    Nanos pause_ns;    // while Java stood still
  };
  // Has the JVM collect all garbage, and returns when it has.
  Result<Forced> Force(JNIEnv* jni);

  // Objects of more bytes may be old from their birth, so that no young collection frees them.
  uint64_t LargestYoungBytes() const;

 private:
  void OnGarbageCollectionStart(jvmtiEnv*) override;
  void OnGarbageCollectionFinish(jvmtiEnv*) override;
  std::vector<Collection> TakeOfCanaries(JNIEnv* jni, Nanos newest_ns);
  void AddCanary(JNIEnv* jni);

  JvmEvents& events_;
  const bool needs_canaries_;
  const uint64_t half_region_bytes_;     // of G1; 0: another collector
  const int64_t* eden_bytes_ = nullptr;  // the VM's; nullptr: not exported
  std::unique_ptr<GcPauses> pauses_;
  CollectionRules rules_{CollectionRules::InCycle::kNo};
  std::mutex mutex_;  // guards canaries_
  Canaries canaries_;
  uint64_t missed_pauses_ = 0;  // as of the last Take
  // The last forced collection: its pauses free all, also where the JVM exports no counters.
  // begin: relaxed, end: release by Force, acquire by Take, so that begin is of the same.
  std::atomic<Nanos> forced_begin_ns_{0};
  std::atomic<Nanos> forced_end_ns_{-1};
  Nanos pause_start_ns_ = 0;         // in safepoints alone
  std::atomic<Nanos> paused_ns_{0};  // so far; relaxed: a sum
  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
