// GcEvents: jdk.GarbageCollection for every pause of the collector, and jdk.GCHeapSummary of the
// heap after it, as far as the VM tells: its numbers are those it keeps for jstat, names are its
// words. Pauses are numbered from 1 on; the VM's own ids are not known.
//
// The recorder's thread.
#pragma once

#include "jvm/gc_pauses.h"
#include "recording/chunk_participant.h"

namespace jprof {

class GcEvents final : public ChunkParticipant {
 public:
  // Pauses before now are not of this recording.
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
