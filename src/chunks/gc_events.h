// GcEvents: jdk.GarbageCollection for every pause of the collector, and jdk.GCHeapSummary of the
// heap after it, as far as the VM exports the data: numbers are its counters for jstat, names are
// the VM's. Pauses are numbered from 1; the VM's own ids are not known.
//
// The recorder's thread.
#pragma once

#include "chunks/chunk_participant.h"
#include "jvm/gc_pauses.h"

namespace jprof {

class GcEvents final : public ChunkParticipant {
 public:
  // Drops earlier pauses, which are not part of this recording.
  explicit GcEvents(GcPauses& pauses) : pauses_(pauses) {
    pauses_.Take([](const GcPause&) {});
  }

  void AddSettings(EventSettings& settings) const override;
  void AfterSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;

 private:
  static void Write(JfrWriter& writer, uint32_t gc_id, const GcPause& pause);

  GcPauses& pauses_;
  uint32_t last_id_ = 0;
};

}  // namespace jprof
