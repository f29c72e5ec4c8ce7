// JavaHomeOfRecording: as a format, whose output is the java.home of the JVM that was recorded, or
// nothing: for the confined process, which alone reads recordings.
#pragma once

#include "formats/format_row.h"

namespace jprof {

const FormatRow& JavaHomeOfRecording();

}  // namespace jprof
