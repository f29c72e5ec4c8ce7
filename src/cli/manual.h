// The texts about jprof that are generated from its tables: manual page, docs/cli.md.
//
// Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

std::string ManPage();

std::string CliMarkdown();

}  // namespace jprof
