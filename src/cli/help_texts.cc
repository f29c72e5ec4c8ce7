#include "cli/help_texts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "conversion/all_formats.h"
#include "session/options/duration.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// In two columns.
std::string Table(const Rows& rows) {
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    text += "  " + left + std::string(width - left.size() + 2, ' ') + right + "\n";
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
  if (argument == "TARGET") return "a pid, or the name of a main class or jar; jprof list has them";
  if (argument == "METHOD") {
    return "com.acme.Shop.order; * is any text, a descriptor (I)V and :50ms for slow calls may "
           "follow";
  }
  if (argument == "SHELL") return "bash, zsh or fish";
  if (argument == "COMMAND") return "the command to explain";
  if (argument == "OUT") {
    return "the result: " + AllFormats().Extensions() +
           ", with .gz compressed; - is standard output";
  }
  if (argument == "IN") return "a recording (.jfr), plain or compressed (.gz); - is standard input";
  if (argument == "NAME") return ViewNames();
  if (argument == "TYPE") return "of view events: the type whose events are wanted";
  if (argument == "SOURCE") return "a recording (.jfr), or a TARGET: a pid or name of a JVM";
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
  std::string text = UsageOf(row) + "\n  " + std::string(row.help) + "\n";
  Rows arguments;
  for (const CliArgument& argument : ArgumentsOf(row)) {
    arguments.emplace_back(argument.name, HelpOnArgument(argument.name));
  }
  if (LaunchesCommands(row.id)) {
    arguments.emplace_back("COMMAND...", "a command that starts JVMs: java, mvn, gradle, a script");
  }
  if (!arguments.empty()) text += "\n" + Table(arguments);
  Rows options;
  for (const CliOptionSpec& spec : OptionsOf(row.id)) {
    options.emplace_back((spec.letter.empty() ? "    " : "") + FormOf(spec), HelpOf(spec));
  }
  if (options.empty()) return text;
  return text + "\nOptions (" + std::string(kUnitlessNumbers) + ")\n" + Table(options);
}

}  // namespace jprof
