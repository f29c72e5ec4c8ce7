#include "chunks/gc_events.h"

#include <string_view>

#include "jfr/writer/jfr_events.h"

namespace jprof {

void GcEvents::AddSettings(EventSettings& settings) const {
  settings.Enable(JfrType::kGarbageCollection);
  settings.Enable(JfrType::kGCHeapSummary);
}

void GcEvents::AfterSamples(OpenChunk& chunk) {
  pauses_.Take([&](const GcPause& pause) { Write(chunk.writer, ++last_id_, pause); });
}

uint64_t GcEvents::Forget() {
  uint64_t events = 0;
  pauses_.Take([&](const GcPause& pause) {
    ++last_id_;
    events += pause.used_bytes < 0 ? 1 : 2;  // with jdk.GCHeapSummary
  });
  return events;
}

void GcEvents::Write(JfrWriter& writer, uint32_t gc_id, const GcPause& pause) {
  const std::string_view name = pause.collector != nullptr ? pause.collector : "";
  const Nanos duration_ns = pause.end_ns - pause.start_ns;
  writer.Append(GarbageCollection{.time_ns = pause.start_ns,
                                  .duration_ns = duration_ns,
                                  .gc_id = gc_id,
                                  .name_key = writer.pools().GCName(name),
                                  .cause_key = writer.pools().GCCause(pause.cause.data()),
                                  .sum_of_pauses_ns = duration_ns,
                                  .longest_pause_ns = duration_ns});
  if (pause.used_bytes < 0) return;
  GCHeapSummary heap;
  heap.time_ns = pause.end_ns;
  heap.gc_id = gc_id;
  heap.when = GCWhen::kAfter;
  heap.heap_space.committed_size_bytes = pause.committed_bytes;
  heap.heap_used_bytes = pause.used_bytes;
  writer.Append(heap);
}

}  // namespace jprof
