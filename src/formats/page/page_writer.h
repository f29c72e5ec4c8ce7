// MakePageWriter: makes a writer of the page, self-contained HTML of all kinds of samples
// (docs/formats/flame-graph.md): flame graphs, lines and sources, events, slow calls and requests.
//
// The page is page.html with its styles and scripts merged in at build time, and the profile as a
// block of data.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

// Returns a writer that uses `total` (by default values), `find_source` and `editor` of the
// options.
std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options);

}  // namespace jprof
