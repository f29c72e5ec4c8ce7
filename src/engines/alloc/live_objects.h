// LiveObjects keeps the sampled objects that are still referenced, and the number of collections
// that each has survived. Snapshot writes the objects that are alive at the end of a chunk.
//
// Add is called on the allocating thread, in the callback that samples the object. KeepLive,
// AfterSamples, Forget and Calibrate are called on the recorder's thread. Collect and Total are
// called on any thread that is attached to the JVM.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "chunks/chunk_participant.h"
#include "engines/alloc/alloc_events.h"
#include "engines/alloc/collection_log.h"
#include "engines/alloc/live_table.h"
#include "engines/engine.h"

namespace jprof {

// Snapshot describes the objects that are alive after the last collection that could have freed
// them (docs/live-objects.md). It is written on the recorder's thread.
struct Snapshot {
  Nanos time_ns = 0;
  uint64_t collections = 0;
  uint64_t old_collections = 0;
  bool is_forced = false;
  uint64_t objects = 0;
  uint64_t new_objects = 0;  // referenced objects that are not in the snapshot
  uint64_t judged = 0;    // sampled objects so far that a collection has freed or could have freed
  double resolution = 0;  // largest number of bytes that a small object stands for
  double weight = 0;      // in bytes
  double variance = 0;    // in bytes^2
  double thinning = 1;    // largest ReferencedObject::factor

  // Writes the events of the objects that are in the snapshot, and adds the objects to the sums
  // above.
  void Write(const std::vector<ReferencedObject>& live, OpenChunk& open);

  // Returns a text such as "live: 12.30 MB ± 4.0 % (collections: 8, of all objects: 1)". If no
  // object is alive, the text has an upper bound of the bytes. If no collection could have freed
  // any object, the text is "live: not measured, because ...".
  std::string Text() const;
  // Returns the text of a recording that has no snapshot yet.
  static std::string TextOfNone();
};

class LiveObjects {
 public:
  // REQUIRES: the parts of `context` outlive the object.
  explicit LiveObjects(const EngineContext& context);
  ~LiveObjects();

  Status Begin() { return collections_.Begin(); }
  // Ends the subscription to the JVM's events, and keeps the objects for the last snapshot. Like
  // Engine::Stop, returns false if a callback is still running.
  bool End() { return collections_.End(); }

  PendingCallTraces& pending() { return pending_; }

  // Adds a sampled object. `object` has the size, weight, error, class and thread number; time,
  // thread and stack come from `pending`.
  void Add(JNIEnv* jni, jobject reference, const PendingObject& pending, ReferencedObject object);

  void AddSettings(EventSettings& settings) const;
  void KeepLive(LiveCallTraces& live) const;
  // Updates the table after a drain, and writes a snapshot after the last drain of a chunk.
  void AfterSamples(OpenChunk& open);
  void Forget() { Look(nullptr, Judge::kAfterCollections); }

  // Calls scale(object) for each object that was sampled at or before `until_ns` and has not been
  // scaled yet.
  template <typename ScaleObject>
  void Calibrate(Nanos until_ns, ScaleObject&& scale) {
    TakeIncoming();
    for (ReferencedObject& object : table_.objects()) {
      if (object.is_scaled || object.time_ns > until_ns) continue;
      scale(object);
      object.is_scaled = true;
    }
  }

  // Forces a collection for the next snapshot. Returns a text such as "gc: collected in 61.2 ms, of
  // which Java stood still for 60.8 ms".
  Result<std::string> Collect(JNIEnv* jni);

  // Returns the text of the last snapshot, "live: 12.3 MB ± 4.0 %, ...", or why there is none.
  std::string Total() const;

 private:
  void TakeIncoming();
  enum class Judge : bool { kAfterCollections, kNow };
  // Removes the objects that have been freed, and raises the ages of the others by the collections
  // since the last call. With kAfterCollections, does nothing if there was no such collection.
  void Sweep(JNIEnv* jni, Judge judge);
  void Look(ThreadConstants* threads, Judge judge);
  void Describe(ReferencedObject& object, ThreadConstants* threads);
  void Survive(const std::vector<Collection>& collections);

  const EngineContext context_;
  CollectionLog collections_;
  PendingCallTraces pending_;
  mutable std::mutex mutex_;  // guards incoming_ to is_forced_
  LiveTable incoming_;
  uint64_t unreferenced_ = 0;  // objects for which the JVM could make no reference
  Snapshot last_;
  bool is_forced_ = false;               // true if a collection was forced since the last snapshot
  LiveTable table_;                      // used on the recorder's thread, like all members below
  std::vector<ReferencedObject> taken_;  // empty between two calls
  uint64_t collection_count_ = 0;
  uint64_t old_collection_count_ = 0;
  uint64_t judged_ = 0;  // objects so far that a collection has freed or could have freed
  double others_ = 0;    // most bytes of other objects that a sampled object has stood for
  Nanos newest_ns_ = 0;  // time of the youngest sample in the table so far
};

}  // namespace jprof
