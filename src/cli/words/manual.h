// The manual of jprof, generated from the tables: the man page and docs/cli.md.
//
// Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// Returns the man page in roff.
std::string ManPage();

// Returns docs/cli.md.
std::string CliMarkdown();

}  // namespace jprof
