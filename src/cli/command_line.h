// ParseCommandLine: what the user wants of jprof. Strict: what is not understood is an error, in
// the words that the user wrote.
//
// Thread-safe: no state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attach/failure.h"
#include "cli/cli_table.h"

namespace jprof {

struct CommandLine {
  CliCommand command = CliCommand::kHelp;
  std::vector<std::string> arguments;          // as many as the table says
  std::map<std::string, std::string> options;  // as given, by name; bare ones with ""

  bool Has(std::string_view option) const { return options.count(std::string(option)) != 0; }

  // As given, else the table's default.
  std::string Value(CliOption option) const;
};

// What was asked for, or a help text to print (kHelp with the text as its one argument).
Outcome<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace jprof
