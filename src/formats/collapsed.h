// Collapsed stacks: one line per stack, "frame;frame COUNT", outermost frame first: the input of
// other flame graph tools.
//
// The samples are those of one kind. Equal lines are merged and lines are sorted, so that equal
// profiles give equal files.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

// Returns a writer that uses `total` (by default samples), `threads` and `suffixes` of the options.
std::unique_ptr<FormatWriter> MakeCollapsedWriter(const FormatOptions& options);

}  // namespace jprof
