// LiveObjects: the sampled objects that are still referenced, and what they have survived.
//
// Add: on the allocating thread, in the callback of its sample. KeepLive, AfterSamples, Forget and
// Calibrate: the recorder's thread. Collect, Total: any thread attached to the JVM.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "chunks/chunk_participant.h"
#include "engines/engine.h"
#include "engines/live/birth.h"
#include "engines/live/collection_log.h"
#include "engines/live/live_table.h"

namespace jprof {

// Snapshot: the objects that are alive after the last collection that could have freed them, as
// events (docs/live-objects.md).
//
// The recorder's thread.
struct Snapshot {
  Nanos time_ns = 0;
  uint64_t collections = 0;
  uint64_t old_collections = 0;
  bool is_forced = false;
  uint64_t objects = 0;
  uint64_t new_objects = 0;  // referenced, and not in the snapshot
  uint64_t judged = 0;       // sampled objects so far that a collection has or could have freed
  double resolution = 0;     // bytes that a small object stands for, at most
  double weight = 0;         // bytes
  double variance = 0;       // bytes^2
  double thinning = 1;       // the largest factor

  // Writes the events of `objects`, and counts them.
  void Write(const std::vector<ReferencedObject>& live, OpenChunk& open);

  // "live: 12.30 MB ± 4.0 % (collections: 8, of all objects: 1)". Without a live object: how many
  // bytes there can be, or, if no collection could have freed any, "live: not measured, because".
  std::string Text() const;
  // Before the first snapshot.
  static std::string TextOfNone();
};

class LiveObjects {
 public:
  // REQUIRES: the parts of `context` outlive the object.
  explicit LiveObjects(const EngineContext& context);
  ~LiveObjects();

  Status Begin() { return collections_.Begin(); }
  // False: as Engine::Stop. The objects stay, for the last snapshot.
  bool End() { return collections_.End(); }

  PendingCallTraces& pending() { return pending_; }

  // `object`: with size, weight, error, class and carrier; the rest comes from `birth`.
  void Add(JNIEnv* jni, jobject reference, const Birth& birth, ReferencedObject object);

  void AddSettings(EventSettings& settings) const;
  void KeepLive(LiveCallTraces& live) const;
  // Writes a snapshot in the last drain of a chunk.
  void AfterSamples(OpenChunk& open);
  void Forget() { Look(nullptr, Judge::kAfterCollections); }

  // Calls scale(object) for each object that is not younger than `until_ns`, once.
  template <typename ScaleObject>
  void Calibrate(Nanos until_ns, ScaleObject&& scale) {
    TakeIncoming();
    for (ReferencedObject& object : table_.objects()) {
      if (object.is_scaled || object.time_ns > until_ns) continue;
      scale(object);
      object.is_scaled = true;
    }
  }

  // Forces a collection for the next snapshot. "collected in 61.2 ms, of which Java stood still for
  // 60.8 ms".
  Result<std::string> Collect(JNIEnv* jni);

  // The last snapshot: "live: 12.3 MB ± 4.0 %, ...", or why nothing is measured.
  std::string Total() const;

 private:
  void TakeIncoming();
  enum class Judge : bool { kAfterCollections, kNow };
  // Removes the objects that the collections since the last call have freed; without a collection
  // only if all are to be judged now.
  void Sweep(JNIEnv* jni, Judge judge);
  void Look(ThreadConstants* threads, Judge judge);
  void Describe(ReferencedObject& object, ThreadConstants* threads);
  void Survive(const std::vector<Collection>& collections);

  const EngineContext context_;
  CollectionLog collections_;
  PendingCallTraces pending_;
  mutable std::mutex mutex_;  // guards the next ones
  LiveTable incoming_;
  uint64_t unreferenced_ = 0;  // objects to which the JVM gave no reference
  Snapshot last_;
  bool is_forced_ = false;               // a collection, since the last snapshot
  LiveTable table_;                      // the recorder's, as the rest
  std::vector<ReferencedObject> taken_;  // empty between two calls
  uint64_t collection_count_ = 0;
  uint64_t old_collection_count_ = 0;
  uint64_t judged_ = 0;  // objects so far that a collection has freed or could have freed
  double others_ = 0;    // the most bytes of other objects that one has stood for
  Nanos newest_ns_ = 0;  // birth of the youngest object in the table so far
};

}  // namespace jprof
