// The flame graph: a self-contained HTML page, of all kinds.
//
// The page is page/page.html with its styles and scripts merged in at build time, the texts of
// further parts, and the profile as a block of data (docs/formats/flame-graph.md).
#pragma once

#include <memory>

#include "formats/format_row.h"
#include "formats/page/page_section.h"

namespace jprof {

// Uses `total` of the options, by default values.
std::unique_ptr<FormatWriter> MakeFlameGraphWriter(const FormatOptions& options);

// The same with further parts, in the order of their buttons.
std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options, PageSections sections);

}  // namespace jprof
