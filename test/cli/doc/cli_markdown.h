// Makes docs/cli.md from the tables of commands and options.
#pragma once

#include <string>

namespace jprof {

// Returns the content of docs/cli.md.
std::string CliMarkdown();

}  // namespace jprof
