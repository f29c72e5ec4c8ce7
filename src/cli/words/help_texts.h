// The texts of --help, and the syntax of commands and options in all texts of jprof.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "cli/words/cli_table.h"

namespace jprof {

// "jprof record [options] TARGET".
std::string UsageOf(const CliCommandRow& row);

// "-d, --duration TIME", or "--cpu[=TIME]" for an optional value.
std::string FormOf(const CliOptionSpec& spec);

// The description of an option, and its default.
std::string HelpOf(const CliOptionSpec& spec);

// The description of an argument of the table (TARGET, IN, ...).
std::string HelpOnArgument(std::string_view argument);

std::string ProgramHelp();
std::string CommandHelp(const CliCommandRow& row);

}  // namespace jprof
