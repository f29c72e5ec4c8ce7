#include "cli/doc/cli_markdown.h"

#include <string_view>
#include <vector>

#include "attach/failure.h"
#include "cli/words/async_profiler.h"
#include "cli/words/cli_table.h"
#include "cli/words/help_texts.h"
#include "options/quantity.h"

namespace jprof {
namespace {

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
`cpu` the source of its interrupts can be named: `ctimer`, `perf` or `itimer` ([options.md](options.md)).

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

std::string Code(const std::string& text) { return "`" + text + "`"; }

std::string FormOf(const AsyncProfilerOption& row) {
  std::string form = row.letter.empty() ? "" : "-" + std::string(row.letter);
  if (!row.name.empty()) form += (form.empty() ? "--" : ", --") + std::string(row.name);
  return row.value.empty() ? form : form + " " + std::string(row.value);
}

std::string Row(const std::string& theirs, const std::string& ours) {
  return "| " + Code(theirs) + " | " + ours + " |\n";
}

// Returns the section about asprof.
std::string AsyncProfilerMarkdown() {
  std::string text =
      "\n## Coming from async-profiler\n\nThe words of its command line, `asprof`, and what they "
      "mean here. Numbers without unit mean the\nsame. A format is told by the file's name, which "
      "`-o` gives; the thread ids of `--filter` are joined\nby `+`.\n\n| asprof | jprof "
      "|\n|---|---|\n";
  for (const AsyncProfilerCommand& row : AsyncProfilerCommands()) {
    const std::string ours = Code("jprof " + std::string(row.command));
    text += Row(std::string(row.word), row.command.empty() ? std::string(row.advice) : ours);
  }
  for (const AsyncProfilerOption& row : AsyncProfilerOptions()) {
    const std::string ours = Code("--" + std::string(row.ours));
    text += Row(FormOf(row), row.ours.empty() ? std::string(row.advice) : ours);
  }
  for (const AsyncProfilerFormat& row : AsyncProfilerFormats()) {
    const bool made = !row.extension.empty();
    text += Row("-o " + std::string(row.name),
                made ? Code("-o NAME" + std::string(row.extension)) : "not made");
  }
  return text;
}

}  // namespace

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
