// ReadContext: the options context=, attributes=, spans= and contextexport=. Thread-safe: no state.
#pragma once

#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

Status ReadContext(const ParsedArguments& words, Options* options);

}  // namespace jprof
