// MakeFirefoxWriter: makes a writer of the Firefox Profiler's processed format, version 70
// (docs/formats/firefox.md). The writer is used by one thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeFirefoxWriter(const FormatOptions& options);

}  // namespace jprof
