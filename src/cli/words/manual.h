// The man page of jprof, generated from the tables.
//
// Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// Returns the man page in roff.
std::string ManPage();

}  // namespace jprof
