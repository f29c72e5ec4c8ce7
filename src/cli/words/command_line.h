// ParseCommandLine: the command and options that the user gave to jprof. Strict: anything unknown
// is an error, which quotes the user's spelling.
//
// Thread-safe: no state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attach/failure.h"
#include "cli/words/cli_table.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct CommandLine {
  CliCommand command = CliCommand::kHelp;
  std::vector<std::string> arguments;          // as many as the table says
  std::vector<std::string> launched;           // COMMAND..., in place of the arguments; else empty
  std::map<std::string, std::string> options;  // as given, by name; "" without a value

  bool Has(std::string_view option) const { return options.count(std::string(option)) != 0; }

  // The given value, else the default of the table.
  std::string Value(CliOption option) const;
};

// "unexpected argument 'x'": the command takes no such argument.
std::string UnexpectedArgument(std::string_view argument);

inline Failure UsageFailure(const std::string& message) { return {FailureKind::kUsage, message}; }

// The parsed command, or a help text to print (kHelp with the text as its only argument).
Outcome<CommandLine> ParseCommandLine(int argc, const char* const* argv);

// TimeOption: the value of a time option of jprof.

// Returns the time, which is given in the agent's notation: positive, less than a year. Fails with
// kUsage for other texts.
Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option);

}  // namespace jprof
