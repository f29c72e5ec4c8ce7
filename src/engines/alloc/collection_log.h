// CollectionLog: the garbage collections of the JVM, and which objects each could have freed.
//
// The pauses of Serial, Parallel and G1 show it: CollectionRules judges them. ZGC and Shenandoah
// pause several times in a collection, and do not report which pause starts it: there objects of
// ours, to which only weak references point, show it (canaries.h).
//
// Callbacks inside safepoints only store. Take and Force are called on threads that are attached to
// the JVM.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engines/alloc/canaries.h"
#include "jvm/gc_pauses.h"
#include "jvm/jvm_events.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

// A collection that has ended, by the objects that it could have freed.
struct Collection {
  enum class Frees : bool { kYoung, kAll };

  Nanos before_ns;  // time before which freed objects were born; 0: it could free none
  Frees frees;
};

// CollectionRules: finds which objects a collection of Serial, Parallel or G1 could have freed, by
// its pauses.
class CollectionRules {
 public:
  // The counter of the VM in which a pause is counted: N of sun.gc.collector.N (OpenJDK jdk-25+36
  // src/hotspot/share/gc/g1/g1MonitoringSupport.cpp, serial/serialHeap.cpp,
  // parallel/psParallelCompact.cpp). Without counters a pause is taken for one of a young
  // collection.
  static constexpr int kFull = 1;
  static constexpr int kConcurrent = 2;

  // kYes: the next concurrent pause of G1 ends a cycle.
  enum class InCycle : bool { kNo, kYes };

  explicit CollectionRules(InCycle in_cycle) : is_after_remark_(in_cycle == InCycle::kYes) {}

  // Returns the collection that the pause belongs to; nullopt: the pause frees nothing.
  std::optional<Collection> Judge(const GcPause& pause);

 private:
  Collection Young(const GcPause& pause);
  Collection Full(const GcPause& pause);
  std::optional<Collection> Concurrent();

  bool knows_cycles_ = false;    // true: the start of the next concurrent cycle will be seen
  bool is_after_remark_;         // true: the next concurrent pause is the Cleanup of this cycle
  bool was_concurrent_ = false;  // true: the pause before was a concurrent one
  Nanos first_young_ns_ = 0;     // first young pause since the last cycle; no cycle started earlier
};

class CollectionLog final : private JvmEventListener {
 public:
  // REQUIRES: both outlive the object.
  CollectionLog(JvmEvents& events, const VmStructs& structs);
  ~CollectionLog() override;

  Status Begin();
  // Ends the events. Returns false if a callback is still inside, as Engine::Stop does.
  bool End() { return subscription_.CancelAndWait(); }

  // Returns an Error if this JVM never collects.
  static Status Check(const VmStructs& structs);

  // Returns the collections that have ended since the last call, in their order. `newest_ns`: the
  // time when the caller's youngest object was allocated. Called on the recorder's thread.
  std::vector<Collection> Take(JNIEnv* jni, Nanos newest_ns);

  struct Forced {
    Nanos elapsed_ns;  // duration of the call
    Nanos pause_ns;    // time while Java stood still
  };
  // Makes the JVM collect all garbage, and returns after the collection.
  Result<Forced> Force(JNIEnv* jni);

  // Returns the size in bytes above which objects can be old from their birth, so that no young
  // collection frees them.
  uint64_t LargestYoungBytes() const;

 private:
  void OnGarbageCollectionStart(jvmtiEnv*) override;
  void OnGarbageCollectionFinish(jvmtiEnv*) override;
  std::vector<Collection> TakeByCanaries(JNIEnv* jni, Nanos newest_ns);
  void AddCanary(JNIEnv* jni);

  JvmEvents& events_;
  const bool needs_canaries_;
  const uint64_t half_region_bytes_;     // half a region of G1; 0: another collector
  const int64_t* eden_bytes_ = nullptr;  // the VM's counter; nullptr: not exported
  std::unique_ptr<GcPauses> pauses_;
  CollectionRules rules_{CollectionRules::InCycle::kNo};
  std::mutex mutex_;  // guards canaries_
  Canaries canaries_;
  uint64_t missed_pauses_ = 0;  // GcPauses::missed at the last Take
  // The time of the last forced collection: its pauses free all garbage, also where the JVM exports
  // no counters. The start is relaxed; the end is stored with release by Force and loaded with
  // acquire by Take, so that Take sees the start of the same collection.
  std::atomic<Nanos> forced_begin_ns_{0};
  std::atomic<Nanos> forced_end_ns_{-1};
  Nanos pause_start_ns_ = 0;         // used in safepoints alone
  std::atomic<Nanos> paused_ns_{0};  // sum of the pauses so far; relaxed: a sum
  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
