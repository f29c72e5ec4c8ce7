// AllFormats: every output format of jprof. Thread-safe: immutable.
#pragma once

#include "formats/format_table.h"

namespace jprof {

const FormatTable& AllFormats();

}  // namespace jprof
