// JfrMetadata: the metadata event of a chunk, which declares the types of jfr_types.def, and for
// the JDK's views those of view_events.def. Any thread.
#pragma once

#include <cstdint>

#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"

namespace jprof {

// Appends the event. Its metadata id is a hash of the content: JDK readers skip a chunk's metadata
// if the id equals that of the chunk before. Below 10 KB.
void EncodeMetadata(JfrEncoder& out, const EventDeclarations& declarations, int64_t start_ticks);

}  // namespace jprof
