// Implements CompletionText (help_texts.h).
#include <algorithm>
#include <array>
#include <vector>

#include "cli/words/cli_table.h"
#include "cli/words/help_texts.h"
#include "conversion/all_formats.h"

namespace jprof {
namespace {

// Returns the possible values of an option, separated by spaces; "" if they cannot be listed.
std::string ChoicesOf(const CliOptionSpec& spec) {
  const auto words = [](const auto& rows) {
    std::string names;
    for (const auto& row : rows) names += (names.empty() ? "" : " ") + std::string(row.name);
    return names;
  };
  if (spec.value == "FORMAT") return words(AllFormats().rows());
  // The option --event of convert, view and open has no choices here: it names events of a
  // recording.
  if (spec.value == "EVENTS") return words(spec.Values()) + " cpu,wall";
  if (!spec.Values().empty()) return words(spec.Values());
  // The value is "0|1", or a kind of value that has no choices.
  std::string choices(spec.value.find('|') == std::string_view::npos ? "" : spec.value);
  std::ranges::replace(choices, '|', ' ');
  return choices;
}

// Returns the options of all commands. Of options with the same name, returns only the first one:
// the completion offers the same values after a name in all commands.
std::vector<CliOptionSpec> AllOptions() {
  std::vector<CliOptionSpec> all;
  for (const CliCommandRow& row : kCliCommands) {
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      const auto known = [&](const CliOptionSpec& other) { return other.name == spec.name; };
      if (std::ranges::none_of(all, known)) all.push_back(spec);
    }
  }
  return all;
}

std::string OptionWords(const CliCommandRow& row) {
  std::string words;
  for (const CliOptionSpec& spec : OptionsOf(row.id)) {
    words += " --" + std::string(spec.name);
    if (!spec.letter.empty()) words += " -" + std::string(spec.letter);
  }
  return words + " --help";
}

std::string CommandWords() {
  std::string words;
  for (const CliCommandRow& row : kCliCommands) {
    words += (words.empty() ? "" : " ") + std::string(row.name);
  }
  return words;
}

// Returns the possible first arguments of a command: running JVMs, files, shells, commands.
std::string BashArguments(const CliCommandRow& row) {
  if (row.arguments.starts_with("TARGET")) {
    return "$(jprof list 2>/dev/null | awk 'NR > 1 {print $1}')";
  }
  if (row.arguments == "SHELL") return "bash zsh fish";
  if (row.arguments == "[COMMAND]") return CommandWords();
  return "";
}

// Returns the branches of `case $option` in BashCompletion. Each branch completes the value of one
// option. If the option has no choices, bash completes file names.
std::string BashValues() {
  std::string cases;
  for (const CliOptionSpec& spec : AllOptions()) {
    if (spec.bare == Bare::kMayBeBare || spec.IsSwitch()) continue;
    cases += "    " + (spec.letter.empty() ? "" : "-" + std::string(spec.letter) + "|") + "--" +
             std::string(spec.name) + ") words='" + ChoicesOf(spec) + "' ;;\n";
  }
  return cases;
}

std::string BashCompletion() {
  std::string cases;
  for (const CliCommandRow& row : kCliCommands) {
    cases += "    " + std::string(row.name) + ") words=\"" + OptionWords(row).substr(1) + " " +
             BashArguments(row) + "\" ;;\n";
  }
  return "_jprof() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
         "  # bash takes '=' for a word: --event = cpu\n"
         "  [[ $option == '=' ]] && option=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  [[ $current == '=' ]] && option=${COMP_WORDS[COMP_CWORD-1]} current=''\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         CommandWords() +
         " --help --version' -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $option in\n" +
         BashValues() +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _jprof jprof\n";
}

// Returns `text` escaped for a zsh _arguments or _describe specification in single quotes.
std::string ZshText(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      quoted += std::string("\\") + c;
    } else {
      quoted += c;
    }
  }
  return quoted;
}

std::string ZshArguments(const CliCommandRow& row) {
  if (row.arguments.starts_with("TARGET")) {
    return " '1:target:($(jprof list 2>/dev/null | awk \"NR > 1 {print \\$1}\"))'";
  }
  if (row.arguments == "SHELL") return " '1:shell:(bash zsh fish)'";
  if (row.arguments == "[COMMAND]") return " '1:command:(" + CommandWords() + ")'";
  return row.arguments.empty() ? "" : " '*:file:_files'";
}

std::string ZshCompletion() {
  std::string commands;
  std::string cases;
  for (const CliCommandRow& row : kCliCommands) {
    const std::string name(row.name);
    commands += "    '" + name + ":" + ZshText(row.help) + "'\n";
    cases += "    " + name + ") _arguments";
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      const std::string choices = ChoicesOf(spec);
      std::string tail = "[" + ZshText(spec.help) + "]";
      if (!spec.IsSwitch()) {
        tail +=
            ":" + ZshText(spec.value) + ":" + (choices.empty() ? "_files" : "(" + choices + ")");
      }
      tail += "'";
      const std::string equals = spec.bare == Bare::kMayBeBare ? "=-" : "";
      cases.append(" '--").append(spec.name).append(equals).append(tail);
      if (!spec.letter.empty()) cases.append(" '-").append(spec.letter).append(tail);
    }
    cases += ZshArguments(row) + " ;;\n";
  }
  return "#compdef jprof\n"
         "_jprof() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=${words[2]}\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_jprof \"$@\"\n";
}

std::string FishText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "\\'" : std::string(1, c);
  return quoted + "'";
}

std::string FishCompletion() {
  std::string text;
  for (const CliCommandRow& row : kCliCommands) {
    const std::string name(row.name);
    text += "complete -c jprof -f -n __fish_use_subcommand -a " + name + " -d " +
            FishText(row.help) + "\n";
    const std::string given = "complete -c jprof -n '__fish_seen_subcommand_from " + name + "'";
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      text += given + " -l " + std::string(spec.name);
      if (!spec.letter.empty()) text += " -s " + std::string(spec.letter);
      const std::string choices = ChoicesOf(spec);
      if (!choices.empty()) {
        text += " -x -a " + FishText(choices);
      } else if (spec.bare == Bare::kNeedsValue && !spec.IsSwitch()) {
        text += " -r";
      }
      text += " -d " + FishText(spec.help) + "\n";
    }
    if (row.arguments.starts_with("TARGET")) {
      text += given + " -f -a \"(jprof list 2>/dev/null | awk 'NR > 1 {print \\$1}')\"\n";
    }
    if (row.arguments == "SHELL") text += given + " -f -a 'bash zsh fish'\n";
    if (row.arguments == "[COMMAND]") text += given + " -f -a '" + CommandWords() + "'\n";
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*text)();
};

constexpr auto kShells = std::to_array<Shell>(
    {{"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}});

}  // namespace

std::optional<std::string> CompletionText(std::string_view shell) {
  for (const Shell& each : kShells) {
    if (each.name == shell) return each.text();
  }
  return std::nullopt;
}

}  // namespace jprof
