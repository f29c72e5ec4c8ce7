// MakeOtlpWriter: makes a writer of OpenTelemetry profiles, v1development. One thread.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeOtlpWriter(const FormatOptions& options);

}  // namespace jprof
