// The texts of --help, and the forms in which all texts of jprof write commands and options.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "cli/words/cli_table.h"

namespace jprof {

// Returns "jprof record [options] TARGET".
std::string UsageOf(const CliCommandRow& row);

// Returns "-d, --duration TIME", or "--cpu[=TIME]" for an optional value.
std::string FormOf(const CliOptionSpec& spec);

// Returns the description of an option and its default.
std::string HelpOf(const CliOptionSpec& spec);

// Returns the description of an argument of the table (TARGET, IN, ...).
std::string HelpOnArgument(std::string_view argument);

std::string ProgramHelp();
std::string CommandHelp(const CliCommandRow& row);

}  // namespace jprof
