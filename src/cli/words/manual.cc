#include "cli/words/manual.h"

#include <algorithm>

#include "attach/failure.h"
#include "cli/words/async_profiler.h"
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

constexpr std::string_view kMarkdownHead =
    R"(<!-- Generated from src/cli/words/cli_table.def and others: build update_cli_doc after a change. -->
# jprof, the command line

```
jprof list                                       the running JVMs
jprof record -d 30s -o profile.html 4711         record one of them, and show the result as a page
jprof record -o tests.jfr -- mvn test            record the JVMs of a command
jprof start -e cpu,wall -o /tmp/app.jfr Shop     start a recording and leave it running
jprof status Shop                                what is recorded, and how much
jprof dump Shop                                  bring the file up to date
jprof stop Shop                                  complete the file
```

TARGET is a process id, or a name that equals, or is part of, the main class or jar of a running JVM.
If no JVM fits, or several do, jprof lists them. Root profiles the JVMs of every user, and those in
containers; other users profile their own.

EVENTS are `cpu`, `wall`, `alloc`, `lock` or `nativelock`, or several, as in `cpu,wall`. In place of
`cpu` its trigger can be named: `ctimer`, `perf` or `itimer` ([options.md](options.md)).

## The result

- `record` writes the result as the caller, wherever the JVM runs. `start` lets the JVM write: its
  `--output` is a path in the JVM's file system, in a folder to which the JVM's user may write.
- The name says the format, in upper or lower case: `.jfr`, or one of those in [formats](formats). Any
  other name is refused. What `record` and `convert` make of a recording is compressed if `.gz` follows;
  a recording itself is not.
- Both commands expand the `%` patterns of [options.md](options.md). With `record`, `%p` is the pid as
  the caller sees it, and `%{NAME}` a variable of the caller.
- A file that was named is replaced. Without `--output`, `record` takes a name that is free.
- `record` and `convert` also write to devices, FIFOs and descriptors (`/dev/stdout`, `/dev/fd/3`), in
  the format of the extension; without one `record` writes JFR and `convert` text. The summary then goes
  to standard error. A FIFO is waited for, before the recording, until a reader opens it. `start` and
  `record -- COMMAND` need a file.
- A symbolic link stands for its file only if the link is the caller's or root's, and no other user may
  write to the folder that it is in.
- `convert` takes a part of recordings, or several as one ([slices.md](slices.md)). It replaces no
  recording; if it is interrupted, the file that was there stays.

## When a recording ends otherwise

- If `jprof record` is killed, the JVM ends the recording within seconds and keeps it: in the file that
  was asked for if the JVM's user may write there, else as `profile-PID-TIME.jfr` in the JVM's /tmp.
  `status` and the next start say where.
- If another program has stopped the recording of `record` and started one of its own, that one goes
  on, and `record` says so.
- If the result cannot be written at the end, the recording stays in the JVM's /tmp, and the message
  names it.

## A command and its JVMs

`record -- COMMAND...` starts the command, whatever starts the JVMs in it: `java`, Maven, Gradle, a
script.

- The command keeps its standard streams, its terminal and its signals. jprof ends with the exit code of
  the command (128 and the signal that ended it), and prints its own lines on standard error.
- Every JVM of the command is told by `JAVA_TOOL_OPTIONS` to record, behind what that variable holds
  already, and therefore prints `Picked up JAVA_TOOL_OPTIONS: ...`.
- Each JVM has a file: the JVM with the most samples has the name of `--output`, the others the same name
  with their pid, unless `%p` tells them apart. JVMs that were too short for a sample have none.
- The JVMs record to a folder `jprof-record-...` beside the result, which stays if jprof is killed.
- `-d` ends the recordings and not the command, so long after the first of them began. Without it the
  recordings end with their JVMs; where a JVM outlives the command, as Gradle's daemon does, its recording
  ends within a second or two of the command.

## Values

TIME is a whole number and `ns`, `us`, `ms`, `s`, `m` or `h`, SIZE one and `k`, `m` or `g`;
)";

std::string OptionTable(const std::vector<CliOptionSpec>& specs) {
  std::string text = "\n| group | option | does |\n|---|---|---|\n";
  for (const OptionGroupRow& group : kOptionGroups) {
    for (const CliOptionSpec& spec : specs) {
      if (spec.group != group.id) continue;
      text +=
          "| " + std::string(group.title) + " | `" + FormOf(spec) + "` | " + HelpOf(spec) + " |\n";
    }
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

std::string CliMarkdown() {
  std::string text(kMarkdownHead);
  text += std::string(kUnitlessNumbers) + ".\n";
  text += "\n## Commands\n\n| command | does |\n|---|---|\n";
  for (const CliCommandRow& row : kCliCommands) {
    text += "| `" + UsageOf(row) + "` | " + std::string(row.help) + " |\n";
  }
  for (const CliCommandRow& row : kCliCommands) {
    if (OptionsOf(row.id).empty()) continue;
    text += "\n## Options of " + std::string(row.name) + "\n" + OptionTable(OptionsOf(row.id));
  }
  text += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n| 0 | done |\n";
  for (const FailureRow& row : kFailures) {
    text += "| " + std::to_string(row.exit_code) + " | " + std::string(row.meaning) + " |\n";
  }
  return text + AsyncProfilerMarkdown();
}

}  // namespace jprof
