#include "cli/words/cli_table.h"

#include <algorithm>
#include <sstream>

namespace jprof {
namespace {

class CliSet {
 public:
  template <typename... Commands>
  constexpr explicit CliSet(Commands... commands)
      : bits_(((1U << static_cast<uint32_t>(commands)) | ... | 0U)) {}

  constexpr bool Has(CliCommand command) const {
    return (bits_ >> static_cast<uint32_t>(command) & 1) != 0;
  }

 private:
  uint32_t bits_;
};

struct OwnOptionRow {
  CliOptionSpec spec;
  CliSet commands;
};

using enum CliCommand;

// The rows of jprof's own options, indexed by CliOption.
constexpr auto kOwnOptions = std::to_array<OwnOptionRow>({
#define JPROF_CLI_OPTION(id, letter, name, value, commands, default_text, group, help) \
  {{letter, name, value, default_text, OptionGroup::group, help, Bare::kNeedsValue}, commands},
#include "cli/words/cli_table.def"
});

// The agent's options that the command line does not offer. jprof sets these options itself. It
// takes the values of some from its own options: the value of file=, for example, comes from
// --output.
constexpr auto kHiddenAgentOptions = std::to_array<OptionId>(
    {OptionId::kEvent, OptionId::kInterval, OptionId::kFile, OptionId::kLease, OptionId::kAnswer,
     OptionId::kValidate, OptionId::kExact, OptionId::kShare, OptionId::kAgct});

bool IsHidden(OptionId option) {
  return std::find(kHiddenAgentOptions.begin(), kHiddenAgentOptions.end(), option) !=
         kHiddenAgentOptions.end();
}

// The options that `jprof start` has and `jprof record` does not. `jprof record` stops the
// recording itself, and fetches and converts one whole file.
constexpr auto kStartOnly = std::to_array<OptionId>(
    {OptionId::kTimeout, OptionId::kLoop, OptionId::kMaxAge, OptionId::kMaxSize});

bool IsOfStartOnly(OptionId option) {
  return IsOfPart(option) ||
         std::find(kStartOnly.begin(), kStartOnly.end(), option) != kStartOnly.end();
}

}  // namespace

constexpr std::array<CliCommandRow, 16> kCliCommands = {{
#define JPROF_CLI_COMMAND(id, name, arguments, help) {CliCommand::id, name, arguments, help},
#include "cli/words/cli_table.def"
}};

std::vector<OptionValueRow> CliOptionSpec::Values() const {
  // EVENT is the name of an event in a recording, and each recording has its own events.
  if (value == "EVENT") return {};
  return ValuesOf(value == "EVENTS" ? "EVENT" : value);
}

std::vector<CliArgument> ArgumentsOf(const CliCommandRow& row) {
  constexpr std::string_view kDots = "...";
  std::vector<CliArgument> arguments;
  std::istringstream words{std::string(row.arguments)};
  for (std::string word; words >> word;) {
    CliArgument argument;
    argument.is_optional = word.front() == '[';
    if (argument.is_optional) word = word.substr(1, word.size() - 2);
    argument.is_repeated = word.ends_with(kDots);
    if (argument.is_repeated) word.resize(word.size() - kDots.size());
    argument.name = word;
    arguments.push_back(argument);
  }
  return arguments;
}

std::string_view NameOf(CliOption option) {
  return kOwnOptions[static_cast<size_t>(option)].spec.name;
}

std::string_view DefaultOf(CliOption option) {
  return kOwnOptions[static_cast<size_t>(option)].spec.default_text;
}

std::vector<const OptionRow*> AgentOptionsOf(CliCommand command) {
  std::vector<const OptionRow*> rows;
  if (command == kValidate) return {&RowOf(OptionId::kShare), &RowOf(OptionId::kAgct)};
  if (command != kRecord && command != kStart) return rows;
  for (const OptionRow& row : kOptions) {
    if (!row.commands.Has(Command::kStart) || IsHidden(row.id) || IsHidden(row)) continue;
    if (command == kRecord && IsOfStartOnly(row.id)) continue;
    rows.push_back(&row);
  }
  return rows;
}

std::vector<CliOptionSpec> OptionsOf(CliCommand command) {
  std::vector<CliOptionSpec> specs;
  for (const OwnOptionRow& row : kOwnOptions) {
    if (row.commands.Has(command)) specs.push_back(row.spec);
  }
  for (const OptionRow* row : AgentOptionsOf(command)) {
    specs.push_back(
        {"", row->name, row->value, row->default_text, row->group, row->help, row->bare});
  }
  return specs;
}

}  // namespace jprof
