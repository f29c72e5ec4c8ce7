// JavaHomeOfRecording: as a format, whose output is the java.home of the JVM that was recorded, and
// behind a line end the version of its JDK; either may be empty: for the confined process, which
// alone reads recordings.
#pragma once

#include "formats/format_row.h"

namespace jprof {

const FormatRow& JavaHomeOfRecording();

}  // namespace jprof
