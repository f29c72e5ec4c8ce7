// AgentFormats: the output formats that the agent can write, html first. Thread-safe: immutable.
#pragma once

#include "formats/format_table.h"

namespace jprof {

const FormatTable& AgentFormats();

}  // namespace jprof
