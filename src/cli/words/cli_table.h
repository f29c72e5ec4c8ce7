// The rows of cli_table.def, with the agent's options merged in: the source of the parser, the
// completion and the documentation.
//
// Thread-safe: no state.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_table.h"

namespace jprof {

enum class CliCommand {
#define JPROF_CLI_COMMAND(id, ...) id,
#include "cli/words/cli_table.def"
};

enum class CliOption {
#define JPROF_CLI_OPTION(id, ...) id,
#include "cli/words/cli_table.def"
};

struct CliCommandRow {
  CliCommand id;
  std::string_view name;
  std::string_view arguments;  // separated by spaces: "TARGET", "[COMMAND]", "IN... OUT"
  std::string_view help;
};

// An option of a command. jprof handles the option itself or passes it on to the agent.
struct CliOptionSpec {
  std::string_view letter;
  std::string_view name;
  std::string_view value;
  std::string_view default_text;
  OptionGroup group = OptionGroup::kShown;
  std::string_view help;
  Bare bare = Bare::kNeedsValue;

  // Returns the possible values of the option with their meanings. Returns none if the values
  // cannot be listed: for example, the events of a recording depend on the recording.
  std::vector<OptionValueRow> Values() const;
  bool IsSwitch() const { return value.empty(); }
};

// An example of a command line, and what it does.
struct CliExample {
  CliCommand command;
  std::string_view line;
  std::string_view help;
};

inline constexpr auto kCliExamples = std::to_array<CliExample>({
#define JPROF_CLI_EXAMPLE(command, line, help) {CliCommand::command, line, help},
#include "cli/words/cli_examples.def"
#undef JPROF_CLI_EXAMPLE
});

// An argument of a command, from its row.
struct CliArgument {
  std::string name;  // "IN", without brackets and dots
  bool is_optional = false;
  // True if the argument can be given several times. A command has at most one such argument.
  bool is_repeated = false;
};

extern const std::array<CliCommandRow, 16> kCliCommands;

// True if the command accepts `-- COMMAND...` in place of its arguments.
constexpr bool LaunchesCommands(CliCommand command) {
  return command == CliCommand::kRecord || command == CliCommand::kValidate;
}

std::vector<CliArgument> ArgumentsOf(const CliCommandRow& row);
std::string_view NameOf(CliOption option);
std::string_view DefaultOf(CliOption option);

// Returns the options of a command: jprof's own in the order of cli_table.def, then the agent's.
std::vector<CliOptionSpec> OptionsOf(CliCommand command);

// Returns the agent's options among the options of a command.
std::vector<const OptionRow*> AgentOptionsOf(CliCommand command);

}  // namespace jprof
