#include "cli/words/manual.h"

#include <algorithm>

#include "attach/failure.h"
#include "cli/words/cli_table.h"
#include "cli/words/help_texts.h"
#include "options/help_text.h"
#include "options/quantity.h"

namespace jprof {
namespace {

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
