// MakePprofWriter: makes a writer of profile.proto, the format of `go tool pprof`. The writer is
// used by one thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakePprofWriter(const FormatOptions& options);

}  // namespace jprof
