#include "cli/doc/cli_markdown.h"

#include <string_view>
#include <vector>

#include "attach/failure.h"
#include "cli/words/async_profiler.h"
#include "cli/words/cli_table.h"
#include "cli/words/help_texts.h"

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
If no JVM or more than one has such a name, jprof lists them. Root can profile the JVMs of every user,
including JVMs in containers. Other users can profile their own JVMs.

EVENTS are `cpu`, `wall`, `alloc`, `lock` and `nativelock`, one or several, as in `cpu,wall`. `ctimer`,
`perf` and `itimer` stand for `cpu` with a certain source of interrupts ([options.md](options.md)).

TIME is a whole number and one of the units `ns`, `us`, `ms`, `s`, `m`, `h`. SIZE is a whole number and
one of the units `k`, `m`, `g`. Without a unit, an interval between samples is in nanoseconds, any
other TIME in seconds, and a SIZE in bytes.

## The result

- **Who writes it.** `record` writes the result as the user who calls it, wherever the JVM runs. With
  `start`, the JVM writes the file. So `--output` of `start` is a path in the JVM's file system, and
  the JVM's user must be allowed to write to its folder.
- **Its format.** The extension of the name selects the format: `.jfr`, or an extension listed in
  [formats](formats), in upper or lower case. Any other extension is refused. If `.gz` follows, the
  result of `record` and `convert` is compressed; only recordings (`.jfr`) cannot be compressed.
  `start` takes only `.jfr`, `.html`, `.collapsed` and `.txt`, without `.gz`.
- **Its name.** `record` and `start` replace the `%` patterns of [options.md](options.md#names-of-files)
  in the name. With `record`, `%p` is the pid that the caller sees, and `%{NAME}` is a variable of the
  caller.
- **An existing file** is replaced if `--output` names it. Without `--output`, `record` chooses a name
  that is free.
- **Streams.** `record` and `convert` can also write to a device, a FIFO or a descriptor (`/dev/stdout`,
  `/dev/fd/3`). If the name has no extension, `record` writes JFR and `convert` writes collapsed stacks.
  When jprof writes to a stream, it prints its closing line on standard error. `record` starts to record
  once a reader has opened the FIFO. `start` and `record -- COMMAND` cannot write to streams.
- **Symbolic links** are followed only if the caller or root owns the link, and if no other user may
  write to the folder that it is in.
- `convert` can select a part of a recording, or join several recordings ([slices.md](slices.md)). It
  refuses to replace a recording. If it is interrupted, the file that it would replace stays.

## When a recording ends in another way

- If `jprof record` is killed, the JVM stops the recording within seconds and keeps it. The recording
  becomes the file that `--output` names if this is a `.jfr` file in a folder to which the JVM's user
  may write. Otherwise it becomes `profile-PID-TIME.jfr` in the JVM's `/tmp`. `status` and the next
  start print the name.
- If another program stops this recording and starts its own, `record` reports it and leaves the new
  recording alone.
- If `record` cannot write the result at the end, the recording stays in the JVM's `/tmp`, and the
  message names it.

## A command and its JVMs

`record -- COMMAND...` starts the command and records every JVM that it starts. The command can be
`java`, Maven, Gradle or a script.

- The command has the same standard streams and terminal as jprof, and gets the signals that jprof
  gets. jprof prints its own lines on standard error. It ends with the exit code of the command, or
  with 128 plus the number of the signal that ended the command.
- jprof adds its options to the environment variable `JAVA_TOOL_OPTIONS`, after the options that the
  variable already has. So each JVM prints `Picked up JAVA_TOOL_OPTIONS: ...`.
- Each JVM with samples has a file, and so has each JVM that was killed. If there is no such JVM, the
  JVM with the largest recording has a file.
- The file of the JVM with the most samples has the name that `--output` gives. The names of the other
  files also contain the pid of their JVM, unless `%p` in `--output` already makes the names different.
- During the run, the JVMs record to a folder `jprof-record-...` beside the result. If jprof is killed,
  this folder stays.
- `-d TIME` ends all recordings when TIME has passed since the first of them began. The command
  continues.
- Without `-d`, each recording ends with its JVM. If a JVM outlives the command, as Gradle's daemon
  does, its recording ends within a second or two after the command.
)";

std::string OptionTable(const std::vector<CliOptionSpec>& specs) {
  std::string text = "\n| group | option | what it does |\n|---|---|---|\n";
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
      "\n## Coming from async-profiler\n\nThe table has the words of async-profiler's command "
      "line, "
      "`asprof`, and what to write for jprof.\nNumbers without a unit mean the same in both. The "
      "name "
      "that `-o` gives selects the format. The thread\nids of `--filter` are joined by `+`.\n\n"
      "| asprof | jprof, or advice |\n|---|---|\n";
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
    text +=
        Row("-o " + std::string(row.name),
            made ? Code("-o NAME" + std::string(row.extension))
                 : "not available: " + Code("-o NAME.collapsed") + " has a line for each stack");
  }
  return text;
}

}  // namespace

std::string CliMarkdown() {
  std::string text(kMarkdownHead);
  text += "\n## Commands\n\n| command | what it does |\n|---|---|\n";
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
