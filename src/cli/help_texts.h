// What --help prints, and the forms of commands and options in all texts of jprof.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "cli/cli_table.h"

namespace jprof {

// "jprof record [options] TARGET".
std::string UsageOf(const CliCommandRow& row);

// "-d, --duration TIME", or "--cpu[=TIME]" where the value may be left out.
std::string FormOf(const CliOptionSpec& spec);

// What it does, and its default.
std::string HelpOf(const CliOptionSpec& spec);

// What an argument of the table (TARGET, IN, ...) is.
std::string HelpOnArgument(std::string_view argument);

std::string ProgramHelp();
std::string CommandHelp(const CliCommandRow& row);

}  // namespace jprof
