#include "cli/words/help_texts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attach/failure.h"
#include "cli/words/cli_table.h"
#include "conversion/all_formats.h"
#include "options/help_text.h"
#include "options/quantity.h"
#include "views/view_table.h"

namespace jprof {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kOptionColumn = 28;
constexpr size_t kExampleColumn = 6;
constexpr size_t kValueColumn = kOptionColumn + 12;

using Rows = std::vector<std::pair<std::string, std::string>>;

// Returns the rows in two columns.
std::string Table(const Rows& rows) {
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    text += HelpColumns(left, right, kIndent, kIndent + width + 2);
  }
  return text;
}

std::string LinesOf(const CliOptionSpec& spec) {
  const std::string form = (spec.letter.empty() ? "    " : "") + FormOf(spec);
  std::string lines = HelpColumns(form, HelpOf(spec), kIndent, kOptionColumn);
  for (const OptionValueRow& value : spec.Values()) {
    lines += HelpColumns(value.name, value.help, kOptionColumn, kValueColumn);
  }
  return lines;
}

// Returns the help on the options of a command, by group, each group under its title.
std::string OptionSections(const std::vector<CliOptionSpec>& specs) {
  std::string text;
  for (const OptionGroupRow& group : kOptionGroups) {
    std::string lines;
    for (const CliOptionSpec& spec : specs) {
      if (spec.group == group.id) lines += LinesOf(spec);
    }
    if (!lines.empty()) text += "\n" + std::string(group.title) + "\n" + lines;
  }
  return text;
}

std::string ViewTable() {
  Rows rows;
  for (const FormatRow& view : Views()) rows.emplace_back(view.name, view.viewer);
  return Table(rows);
}

std::string ExampleSection(const CliCommandRow& row) {
  std::string text;
  for (const CliExample& example : kCliExamples) {
    if (example.command == row.id) {
      text += HelpColumns(example.line, example.help, kIndent, kExampleColumn);
    }
  }
  return text.empty() ? "" : "\nExamples\n" + text;
}

// Escapes a text for roff, which reads '-' as a hyphen, and '.' or ''' at the start of a line as a
// request.
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

// Returns the text in lines of at most kHelpWidth columns, which roff joins and fills again.
std::string RoffText(std::string_view text) {
  std::string lines;
  size_t at = 0;
  const std::string wrapped = WrapHelp(text, 0, 0);
  while (at <= wrapped.size()) {
    const size_t end = std::min(wrapped.find('\n', at), wrapped.size());
    lines += Roff(wrapped.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

std::string ManValues(const CliOptionSpec& spec) {
  std::string text;
  for (const OptionValueRow& value : spec.Values()) {
    text += ".br\n" + RoffText(std::string(value.name) + ": " + std::string(value.help));
  }
  return text;
}

std::string ManOptions(const CliCommandRow& row) {
  std::string text;
  for (const CliOptionSpec& spec : OptionsOf(row.id)) {
    text += ".TP\n.B " + Roff(FormOf(spec)) + "\n" + RoffText(HelpOf(spec)) + ManValues(spec);
  }
  return text.empty() ? "" : ".RS\n" + text + ".RE\n";
}

std::string ManExitCodes() {
  std::string text = ".TP\n.B 0\ndone\n";
  for (const FailureRow& row : kFailures) {
    text += ".TP\n.B " + std::to_string(row.exit_code) + "\n" + RoffText(row.meaning);
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
Attaches libprofiler.so to a running HotSpot JVM (JDK 8 and later), lets it
sample where threads spend CPU time or wait, and brings the recording back.
.PP
TARGET is a process id, or a name that equals, or is part of, a running JVM's
main class or jar.
Instead of a TARGET, --container and --pod name a container or a Kubernetes pod
on this machine in which a single JVM runs.
Root profiles the JVMs of every user, and those in containers.
.SH COMMANDS
)";

std::string ManExamples() {
  std::string text = ".SH EXAMPLES\n";
  for (const CliExample& example : kCliExamples) {
    text += ".TP\n.B " + Roff(example.line) + "\n" + RoffText(example.help);
  }
  return text;
}

}  // namespace

std::string UsageOf(const CliCommandRow& row) {
  std::string usage = "jprof " + std::string(row.name);
  if (!OptionsOf(row.id).empty()) usage += " [options]";
  if (!row.arguments.empty()) usage += " " + std::string(row.arguments);
  if (LaunchesCommands(row.id)) usage += " | -- COMMAND...";
  return usage;
}

std::string FormOf(const CliOptionSpec& spec) {
  std::string form = spec.letter.empty() ? "" : "-" + std::string(spec.letter) + ", ";
  form += "--" + std::string(spec.name);
  if (spec.IsSwitch()) return form;
  const std::string value(spec.value);
  return form + (spec.bare == Bare::kMayBeBare ? "[=" + value + "]" : " " + value);
}

std::string HelpOf(const CliOptionSpec& spec) {
  std::string help(spec.help);
  if (!spec.default_text.empty()) help += " (default " + std::string(spec.default_text) + ")";
  return help;
}

std::string HelpOnArgument(std::string_view argument) {
  if (argument == "TARGET")
    return "a pid, or a name that equals, or is part of, a running JVM's main class or jar (jprof "
           "list); or --container or --pod";
  if (argument == "METHOD") {
    return "com.acme.Shop.order, where * is any text; a descriptor, (I)V, and :50ms for slow calls "
           "may follow";
  }
  if (argument == "SHELL") return "bash, zsh or fish";
  if (argument == "COMMAND") return "the command to explain";
  if (argument == "OUT") {
    return "the result: " + AllFormats().Extensions() +
           ", with .gz compressed; - is standard output";
  }
  if (argument == "IN") return "a recording (.jfr), plain or compressed (.gz); - is standard input";
  if (argument == "NAME") return "the view: " + ViewNames();
  if (argument == "TYPE") return "the type of events to print (only `view events`)";
  if (argument == "SOURCE")
    return "a recording (.jfr), or a TARGET: a pid or name of a JVM, --container or --pod";
  return "a recording (.jfr)";
}

std::string ProgramHelp() {
  Rows rows;
  for (const CliCommandRow& row : kCliCommands) {
    rows.emplace_back(row.name, row.help);
  }
  return "Profiles Java programs that are running.\n\n"
         "  jprof record -d 30s -o profile.html 4711\n\nCommands\n" +
         Table(rows) + "\njprof help COMMAND explains one.\n";
}

std::string CommandHelp(const CliCommandRow& row) {
  std::string text = UsageOf(row) + "\n  " + WrapHelp(row.help, kIndent, kIndent) + "\n";
  Rows arguments;
  for (const CliArgument& argument : ArgumentsOf(row)) {
    arguments.emplace_back(argument.name, HelpOnArgument(argument.name));
  }
  if (LaunchesCommands(row.id)) {
    arguments.emplace_back("COMMAND...", "a command that starts JVMs: java, mvn, gradle, a script");
  }
  if (!arguments.empty()) text += "\n" + Table(arguments);
  if (row.id == CliCommand::kView) text += "\nViews\n" + ViewTable();
  text += ExampleSection(row);
  const std::vector<CliOptionSpec> options = OptionsOf(row.id);
  if (options.empty()) return text;
  text += OptionSections(options);
  return text + "\nTimes and sizes\n  " + WrapHelp(kUnitlessNumbers, kIndent, kIndent) + "\n";
}

std::string ManPage() {
  std::string text(kManHead);
  for (const CliCommandRow& row : kCliCommands) {
    text += ".TP\n.B " + Roff(UsageOf(row)) + "\n" + RoffText(row.help) + ManOptions(row);
  }
  text += ".SH VALUES\n" +
          RoffText("TIME is a whole number and ns, us, ms, s, m or h, SIZE one and k, m or g; " +
                   std::string(kUnitlessNumbers) + ".");
  return text + ".SH EXIT STATUS\n" + ManExitCodes() + ManExamples();
}

}  // namespace jprof
