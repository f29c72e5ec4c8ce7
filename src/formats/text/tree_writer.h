// MakeTreeWriter: the call tree as text, callers above callees. One thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeTreeWriter(const FormatOptions& options);

}  // namespace jprof
