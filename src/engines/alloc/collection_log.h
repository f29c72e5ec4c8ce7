// CollectionLog reports the garbage collections of the JVM, and which objects each of them could
// have freed.
//
// For Serial, Parallel and G1, CollectionRules infers these objects from the pauses. ZGC and
// Shenandoah pause several times in a collection, and do not report which pause starts the
// collection. For ZGC and Shenandoah, the agent allocates objects to which only weak references
// point, and observes when these objects are freed (canaries.h).
//
// The callbacks run in safepoints and only store values. Take and Force are called on threads that
// are attached to the JVM.
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

// A garbage collection that has ended, with the objects that it could have freed.
struct Collection {
  enum class Frees : bool { kYoung, kAll };

  Nanos before_ns;  // objects allocated before this time could be freed; 0 if none could
  Frees frees;
};

// CollectionRules infers from the pauses of Serial, Parallel or G1 which objects each collection
// could have freed.
class CollectionRules {
 public:
  // Values of GcPause::collector_number: the N in the name of the VM's counter sun.gc.collector.N
  // that counts the pause (OpenJDK jdk-25+36 src/hotspot/share/gc/g1/g1MonitoringSupport.cpp,
  // serial/serialHeap.cpp, parallel/psParallelCompact.cpp). If the VM has no such counters, every
  // pause counts as the pause of a young collection.
  static constexpr int kFull = 1;
  static constexpr int kConcurrent = 2;

  // kYes: a concurrent cycle of G1 is under way, and the next concurrent pause ends it.
  enum class InCycle : bool { kNo, kYes };

  explicit CollectionRules(InCycle in_cycle) : is_after_remark_(in_cycle == InCycle::kYes) {}

  // Returns the collection that the pause belongs to; nullopt if the pause frees no objects.
  std::optional<Collection> Judge(const GcPause& pause);

 private:
  Collection Young(const GcPause& pause);
  Collection Full(const GcPause& pause);
  std::optional<Collection> Concurrent();

  bool knows_cycles_ = false;    // true once the end of a cycle was observed
  bool is_after_remark_;         // true if the next concurrent pause is the Cleanup of a cycle
  bool was_concurrent_ = false;  // true if the previous pause was a concurrent one
  // The start of the first young pause since the last cycle; 0 if there was none. The next cycle
  // cannot have started earlier.
  Nanos first_young_ns_ = 0;
};

class CollectionLog final : private JvmEventListener {
 public:
  // REQUIRES: `events` and `structs` outlive the object.
  CollectionLog(JvmEvents& events, const VmStructs& structs);
  ~CollectionLog() override;

  Status Begin();
  // Ends the subscription to the JVM's events. Like Engine::Stop, returns false if a callback is
  // still running.
  bool End() { return subscription_.CancelAndWait(); }

  // Returns an Error if this JVM never collects.
  static Status Check(const VmStructs& structs);

  // Returns the collections that have ended since the last call, in their order. `newest_ns`: the
  // time when the caller's youngest object was allocated. Called on the recorder's thread.
  std::vector<Collection> Take(JNIEnv* jni, Nanos newest_ns);

  struct Forced {
    Nanos elapsed_ns;  // duration of the call
    Nanos pause_ns;    // time for which Java threads were stopped
  };
  // Makes the JVM collect all garbage, and returns after the collection.
  Result<Forced> Force(JNIEnv* jni);

  // Returns the size, in bytes, up to which the JVM allocates all objects in the young generation.
  // The JVM can allocate larger objects in the old generation, where no young collection frees
  // them.
  uint64_t LargestYoungBytes() const;

 private:
  void OnGarbageCollectionStart(jvmtiEnv*) override;
  void OnGarbageCollectionFinish(jvmtiEnv*) override;
  std::vector<Collection> TakeByCanaries(JNIEnv* jni, Nanos newest_ns);
  void AddCanary(JNIEnv* jni);

  JvmEvents& events_;
  const bool needs_canaries_;
  const uint64_t half_region_bytes_;     // half a region of G1; 0 with another collector
  const int64_t* eden_bytes_ = nullptr;  // the VM's counter; nullptr if not exported
  std::unique_ptr<GcPauses> pauses_;
  CollectionRules rules_{CollectionRules::InCycle::kNo};
  std::mutex mutex_;  // guards canaries_
  Canaries canaries_;
  uint64_t missed_pauses_ = 0;  // GcPauses::missed at the last Take
  // Start and end of the last forced collection. Pauses between these two times free all garbage,
  // even if the JVM does not count them as full collections. Force stores the start (relaxed) and
  // later the end (release). Take loads the end (acquire) and then the start (relaxed).
  std::atomic<Nanos> forced_begin_ns_{0};
  std::atomic<Nanos> forced_end_ns_{-1};
  Nanos pause_start_ns_ = 0;         // used only in safepoints
  std::atomic<Nanos> paused_ns_{0};  // sum of the pauses so far; relaxed: a sum
  JvmEvents::Subscription subscription_;
};

}  // namespace jprof
