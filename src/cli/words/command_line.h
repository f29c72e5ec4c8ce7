// ParseCommandLine parses the command and the options that the user gave to jprof. Anything unknown
// is an error, which quotes the user's spelling. TimeOption parses the value of an option that
// takes a time.
//
// Thread-safe: no state.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/failure.h"
#include "cli/words/cli_table.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct CommandLine {
  CliCommand command = CliCommand::kHelp;
  // As many as the row of the command permits. The value of --container or --pod is in the place of
  // TARGET or SOURCE.
  std::vector<std::string> arguments;
  std::vector<std::string> launched;           // COMMAND... in place of the arguments, or empty
  std::map<std::string, std::string> options;  // option name -> value as given, or ""

  bool Has(std::string_view option) const { return options.count(std::string(option)) != 0; }

  // Returns the value that the user gave for the option, or the default of the option in the table.
  std::string Value(CliOption option) const;
};

// The two options that stand in place of a TARGET. The options of `view` have the same names.
inline constexpr auto kTargetOptions = std::to_array({CliOption::kContainer, CliOption::kPod});

// Returns the option that was given in place of a TARGET; nullopt if none was given.
std::optional<CliOption> TargetOptionIn(const CommandLine& line);

// Returns "unexpected argument 'x'".
std::string UnexpectedArgument(std::string_view argument);

inline Failure UsageFailure(const std::string& message) { return {FailureKind::kUsage, message}; }

// Returns the parsed command, or kHelp with the help text as its only argument. Fails with kUsage.
Outcome<CommandLine> ParseCommandLine(int argc, const char* const* argv);

// Returns the value of a time option, written as for the agent (10s, 5m). Fails with kUsage unless
// the time is positive and less than a year.
Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option);

}  // namespace jprof
