#include "options/help_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "options/option_table.h"
#include "options/quantity.h"

namespace jprof {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kColumn = 24;
constexpr size_t kValueColumn = kColumn + 12;

std::string HelpLine(std::string_view left, std::string_view right) {
  return HelpColumns(left, right, kIndent, kColumn);
}

// Returns " (default 10ms, 100us to 1h)", with the parts that the option has.
std::string LimitsOf(const OptionRow& row) {
  std::string limits;
  if (!row.default_text.empty()) limits = "default " + std::string(row.default_text);
  if (!row.min.empty()) {
    limits += (limits.empty() ? "" : ", ") + std::string(row.min) + " to " + std::string(row.max);
  }
  return limits.empty() ? "" : " (" + limits + ")";
}

std::string LinesOf(const OptionRow& row) {
  std::string lines = HelpLine(FormOf(row), std::string(row.help) + LimitsOf(row));
  for (const OptionValueRow& value : ValuesOf(row.value)) {
    lines += HelpColumns(value.name, value.help, kColumn, kValueColumn);
  }
  return lines;
}

// Returns the options of one group under its title; empty if the group has no visible option.
std::string SectionOf(const OptionGroupRow& group) {
  std::string lines;
  for (const OptionRow& row : kOptions) {
    if (row.group == group.id && !IsHidden(row)) lines += LinesOf(row);
  }
  return lines.empty() ? "" : std::string(group.title) + "\n" + lines;
}

}  // namespace

std::string WrapHelp(std::string_view text, size_t column, size_t used) {
  std::string wrapped;
  size_t at = used;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!is_first && at + 1 + word.size() > kHelpWidth) {
      wrapped += "\n" + std::string(column, ' ');
      at = column;
    } else if (!is_first) {
      wrapped += ' ';
      ++at;
    }
    wrapped += word;
    at += word.size();
    is_first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

std::string HelpColumns(std::string_view left, std::string_view right, size_t indent,
                        size_t column) {
  std::string line = std::string(indent, ' ') + std::string(left);
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line.resize(column, ' ');
  }
  return line + WrapHelp(right, column, column) + "\n";
}

std::string HelpText() {
  std::string text = WrapHelp(
      "jprof reads words separated by commas, without spaces: one of these commands, then options",
      0, 0);
  text += "\n";
  for (const CommandRow& row : kCommands) {
    if (!IsHidden(row)) text += HelpLine(row.name, row.help);
  }
  for (const OptionGroupRow& group : kOptionGroups) text += SectionOf(group);
  text += "Values\n";
  text += HelpLine("TIME", "a whole number and ns, us, ms, s, m or h");
  text += HelpLine("SIZE", "a whole number and k, m or g");
  text += HelpLine("", kUnitlessNumbers);
  text += HelpLine("0|1", "0: no, 1: yes; the word alone means 1 where [=0|1] is optional");
  text += HelpLine("METHODS", "package.Class.method, with * for any text, joined by +");
  text += HelpLine(
      "PATTERN",
      "a path with %p process id, %t time, %n file number, %u random, %{NAME} variable, %% for %");
  text +=
      "Examples (jcmd cuts options at the first '=' unless they are quoted twice)\n"
      "  java -agentpath:/path/libprofiler.so=start,event=cpu,file=/abs/%p.jfr ...\n"
      "  jcmd PID JVMTI.agent_load /path/libprofiler.so \\\n"
      "    '\"start,event=wall,file=/abs/out.jfr\"'\n"
      "  jcmd PID JVMTI.agent_load /path/libprofiler.so stop\n";
  return text;
}

}  // namespace jprof
