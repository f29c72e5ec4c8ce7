// WritePageData writes a profile as the data of a page, a JSON object
// (docs/formats/flame-graph.md). Used by one thread.
#pragma once

#include "formats/format_row.h"
#include "formats/page/page_model.h"
#include "profile/sample_table.h"

namespace jprof {

// Writes the profile and the members of all sections to `out`. Returns the first error of a
// section. REQUIRES: `table` is finished.
Status WritePageData(const profile::Profile& profile, const profile::SampleTable& table,
                     const FormatContext& context, const PageSections& sections, OutputStream& out);

}  // namespace jprof
