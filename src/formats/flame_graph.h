// The flame graph: a self-contained HTML page, of all kinds.
//
// The page is flame_graph/page.html with its styles and scripts merged in at build time, and the
// profile as a block of data (docs/formats/flame-graph.md).
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

// Uses `total` of the options, by default values.
std::unique_ptr<FormatWriter> MakeFlameGraphWriter(const FormatOptions& options);

}  // namespace jprof
