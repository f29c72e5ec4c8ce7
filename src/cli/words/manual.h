// The manual of jprof, generated from the tables: the man page and docs/cli.md.
//
// Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

std::string ManPage();

std::string CliMarkdown();

}  // namespace jprof
