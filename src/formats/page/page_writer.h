// MakePageWriter: the page, self-contained HTML of all kinds (docs/formats/flame-graph.md): flame
// graphs, lines and sources, events, slow calls and requests.
//
// The page is page.html with its styles and scripts merged in at build time, and the profile as a
// block of data.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

// Uses `total` of the options, by default values, and `find_source` and `editor`.
std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options);

}  // namespace jprof
