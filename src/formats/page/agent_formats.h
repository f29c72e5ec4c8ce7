// AgentFormats: the output formats that the agent writes too, the page first. Thread-safe: immutable.
#pragma once

#include "formats/format_table.h"

namespace jprof {

const FormatTable& AgentFormats();

}  // namespace jprof
