// MakeOtlpWriter: makes a writer of OpenTelemetry profiles, in the version v1development of the
// format. The writer is used by one thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeOtlpWriter(const FormatOptions& options);

}  // namespace jprof
