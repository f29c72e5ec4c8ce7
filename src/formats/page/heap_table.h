// WriteHeapTable: what is allocated and what of it stays, by class and allocation site, as a table
// of the page. One thread.
#pragma once

#include "formats/json_writer.h"
#include "formats/page/page_model.h"

namespace jprof {

// An element of the array `events`; nothing without bytes of both kinds, alloc and live.
void WriteHeapTable(const PageModel& page, JsonWriter& json);

}  // namespace jprof
