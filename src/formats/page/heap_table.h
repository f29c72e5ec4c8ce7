// WriteHeapTable: the allocated bytes, and those of them that are still live, by class and
// allocation site, as a table of the page. Used by one thread.
#pragma once

#include "formats/json_writer.h"
#include "formats/page/page_model.h"

namespace jprof {

// Writes an element of the array `events`; nothing unless the page has weights in bytes for both
// kinds, alloc and live.
void WriteHeapTable(const PageModel& page, JsonWriter& json);

}  // namespace jprof
