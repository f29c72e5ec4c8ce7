// EncodeMetadata: writes the metadata event of a chunk, which declares the types of jfr_types.def,
// and those of view_events.def for the JDK's views. Thread-safe: no state.
#pragma once

#include <cstdint>

#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"

namespace jprof {

// Appends the metadata event, less than 22 KB. Its metadata id is a hash of the content: JDK
// readers skip a chunk's metadata if the id equals the id of the previous chunk's metadata.
void EncodeMetadata(JfrEncoder& out, const EventDeclarations& declarations, int64_t start_ticks);

}  // namespace jprof
