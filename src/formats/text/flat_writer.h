// MakeFlatWriter: a table of methods as text. One thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options);

}  // namespace jprof
