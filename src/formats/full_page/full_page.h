// MakeFullPageWriter: the page with all that jprof adds: lines, events, sources. One thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

// Uses `total`, `sources` and `editor` of the options.
std::unique_ptr<FormatWriter> MakeFullPageWriter(const FormatOptions& options);

}  // namespace jprof
