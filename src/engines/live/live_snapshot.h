// Snapshot: the objects that are alive after the last collection that could have freed them, as
// events (docs/live-objects.md).
//
// The recorder's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/live/referenced_object.h"

namespace jprof {

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

}  // namespace jprof
