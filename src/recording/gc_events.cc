#include "recording/gc_events.h"

#include <string_view>

#include "recording/jfr/jfr_load_events.h"

namespace jprof {

void GcEvents::WriteTo(JfrWriter& writer) {
  pauses_.Take([&](const GcPause& pause) { Write(writer, ++last_id_, pause); });
}

void GcEvents::Write(JfrWriter& writer, uint32_t gc_id, const GcPause& pause) {
  const std::string_view name = pause.collector != nullptr ? pause.collector : "";
  writer.Append(GarbageCollection{pause.start_ns, pause.end_ns - pause.start_ns, gc_id,
                                  writer.pools().GCName(name),
                                  writer.pools().GCCause(pause.cause.data())});
  if (pause.used_bytes < 0) return;
  GCHeapSummary heap;
  heap.time_ns = pause.end_ns;
  heap.gc_id = gc_id;
  heap.committed_bytes = pause.committed_bytes;
  heap.used_bytes = pause.used_bytes;
  writer.Append(heap);
}

}  // namespace jprof
