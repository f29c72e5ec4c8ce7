// AllFormats: every output format of jprof. Thread-safe: immutable.
#pragma once

#include "formats/format_table.h"

namespace jprof {

const FormatTable& AllFormats();

// True for the rows that the agent writes too.
bool IsOfAgent(const FormatRow& row);

}  // namespace jprof
