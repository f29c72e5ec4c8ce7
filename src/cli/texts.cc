#include "cli/texts.h"

#include <array>

#include "attach/failure.h"
#include "cli/cli_table.h"

namespace jprof {
namespace {

// "-d, --duration TIME", or "--cpu[=TIME]" where the value may be left out.
std::string FormOf(const CliOptionSpec& spec) {
  std::string form = spec.letter.empty() ? "" : "-" + std::string(spec.letter) + ", ";
  form += "--" + std::string(spec.name);
  const std::string value(spec.value);
  return form + (spec.bare == Bare::kMayBeBare ? "[=" + value + "]" : " " + value);
}

std::string HelpOf(const CliOptionSpec& spec) {
  std::string help(spec.help);
  if (!spec.default_text.empty()) help += " (default " + std::string(spec.default_text) + ")";
  return help;
}

std::string UsageOf(const CliCommandRow& row) {
  std::string usage = "jprof " + std::string(row.name);
  if (!OptionsOf(row.id).empty()) usage += " [options]";
  if (!row.arguments.empty()) usage += " " + std::string(row.arguments);
  return usage;
}

// roff takes a leading '-' for a hyphen, and '.' or ''' at the start of a line for a request.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string ManOptions(const CliCommandRow& row) {
  std::string text;
  for (const CliOptionSpec& spec : OptionsOf(row.id)) {
    text += ".TP\n.B " + Roff(FormOf(spec)) + "\n" + Roff(HelpOf(spec)) + "\n";
  }
  return text.empty() ? "" : ".RS\n" + text + ".RE\n";
}

std::string ManExitCodes() {
  std::string text = ".TP\n.B 0\ndone\n";
  for (const FailureRow& row : kFailures) {
    text += ".TP\n.B " + std::to_string(row.exit_code) + "\n" + Roff(row.meaning) + "\n";
  }
  return text;
}

constexpr std::string_view kManHead = R"(.TH JPROF 1
.SH NAME
jprof \- profile Java programs that are running
.SH SYNOPSIS
.B jprof
COMMAND [options] [arguments]
.SH DESCRIPTION
Attaches libprofiler.so to a running HotSpot JVM (JDK 8 and later), lets it sample where threads
spend CPU time or wait, and brings the recording back.
.PP
TARGET is a process id, or a name: of the running JVMs the one whose main class or jar it is, or
contains it. Root profiles the JVMs of every user, and those in containers.
.SH COMMANDS
)";

constexpr std::string_view kManTail = R"(.SH EXAMPLES
.nf
jprof list
jprof record \-d 30s \-o profile.html 4711
jprof start \-e cpu,wall \-o /tmp/app.jfr com.example.Main
jprof status com.example.Main
jprof stop com.example.Main
.fi
)";

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

// What a first argument may be: running JVMs, files, shells.
std::string_view BashArguments(const CliCommandRow& row) {
  if (row.arguments == "TARGET") return "$(jprof list 2>/dev/null | awk 'NR > 1 {print $1}')";
  if (row.arguments == "SHELL") return "bash zsh fish";
  return "";
}

std::string BashCompletion() {
  std::string cases;
  for (const CliCommandRow& row : kCliCommands) {
    cases += "    " + std::string(row.name) + ") words=\"" + OptionWords(row).substr(1) + " " +
             std::string(BashArguments(row)) + "\" ;;\n";
  }
  return "_jprof() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=''\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         CommandWords() +
         "' -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _jprof jprof\n";
}

// In single quotes of a zsh _arguments or _describe specification.
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
  if (row.arguments == "TARGET") {
    return " '1:target:($(jprof list 2>/dev/null | awk \"NR > 1 {print \\$1}\"))'";
  }
  if (row.arguments == "SHELL") return " '1:shell:(bash zsh fish)'";
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
      const std::string tail = "[" + ZshText(spec.help) + "]:" + ZshText(spec.value) + ":_files'";
      const std::string equals = spec.bare == Bare::kMayBeBare ? "=-" : "";
      cases += " '--" + std::string(spec.name) + equals + tail;
      if (!spec.letter.empty()) cases += " '-" + std::string(spec.letter) + tail;
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
      if (spec.bare == Bare::kNeedsValue) text += " -r";
      text += " -d " + FishText(spec.help) + "\n";
    }
    if (row.arguments == "TARGET") {
      text += given + " -f -a \"(jprof list 2>/dev/null | awk 'NR > 1 {print \\$1}')\"\n";
    }
    if (row.arguments == "SHELL") text += given + " -f -a 'bash zsh fish'\n";
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*text)();
};

constexpr auto kShells = std::to_array<Shell>(
    {{"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}});

constexpr std::string_view kMarkdownHead =
    R"(<!-- Generated from src/cli/cli_table.def and others: build update_cli_doc after a change. -->
# jprof, the command line

TARGET is a process id, or a name: of the running JVMs the one whose main class or jar it is, or
contains it. If none or several fit, jprof lists them. Root profiles the JVMs of every user, and those
in containers; others profile their own.

```
jprof list
jprof record -d 30s -o profile.html 4711
jprof start -e cpu,wall -o /tmp/app.jfr com.example.Main
jprof status com.example.Main
jprof dump com.example.Main
jprof stop com.example.Main
```

`record` writes the result as the caller, wherever the JVM runs. `start` lets the JVM write: its
`--output` is a path in the JVM's file system, writable by the JVM's user, and may hold the `%`
patterns of [options.md](options.md). TIME is a whole number and `ns`, `us`, `ms`, `s`, `m` or `h`.
)";

}  // namespace

std::string ManPage() {
  std::string text(kManHead);
  for (const CliCommandRow& row : kCliCommands) {
    text += ".TP\n.B " + Roff(UsageOf(row)) + "\n" + Roff(row.help) + "\n" + ManOptions(row);
  }
  return text + ".SH EXIT STATUS\n" + ManExitCodes() + std::string(kManTail);
}

std::optional<std::string> CompletionText(std::string_view shell) {
  for (const Shell& each : kShells) {
    if (each.name == shell) return each.text();
  }
  return std::nullopt;
}

std::string CliMarkdown() {
  std::string text(kMarkdownHead);
  text += "\n## Commands\n\n| command | does |\n|---|---|\n";
  for (const CliCommandRow& row : kCliCommands) {
    text += "| `" + UsageOf(row) + "` | " + std::string(row.help) + " |\n";
  }
  for (const CliCommandRow& row : kCliCommands) {
    if (OptionsOf(row.id).empty()) continue;
    text += "\n## Options of " + std::string(row.name) + "\n\n| option | does |\n|---|---|\n";
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      text += "| `" + FormOf(spec) + "` | " + HelpOf(spec) + " |\n";
    }
  }
  text += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n| 0 | done |\n";
  for (const FailureRow& row : kFailures) {
    text += "| " + std::to_string(row.exit_code) + " | " + std::string(row.meaning) + " |\n";
  }
  return text;
}

}  // namespace jprof
