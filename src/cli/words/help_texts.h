// The texts of jprof about itself, generated from the tables: --help, the man page, and completion
// scripts of shells.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// Returns the man page in roff.
std::string ManPage();

// Returns the completion script for "bash", "zsh" or "fish"; nullopt for another shell.
std::optional<std::string> CompletionText(std::string_view shell);

}  // namespace jprof
