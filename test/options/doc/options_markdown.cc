#include "options/doc/options_markdown.h"

#include <string_view>

#include "options/option_table.h"

namespace jprof {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Generated from src/options/options.def: edit that, then build update_options_doc. -->
# Options

To record without the program `jprof`, load the agent and give it an option string:

```
java -agentpath:/path/libprofiler.so=start,event=cpu,file=/abs/%p.jfr ...
jcmd PID JVMTI.agent_load /path/libprofiler.so '"start,event=wall,file=/abs/out.jfr"'
jcmd PID JVMTI.agent_load /path/libprofiler.so stop
```

An option string consists of words that are separated by commas, in any order, without spaces. One
of the words is a command. Each other word is an option, `name` or `name=value`. Names and units are
in lower case. If one word is wrong, the agent refuses the whole string, with one line that says why.

**Quote twice with jcmd**, as above. If an argument reaches jcmd without quotes, jcmd passes on only
the part before the first `=`. So `start,event=wall,file=/abs/out.jfr` arrives as `start,event`, which
the agent refuses. But `start,cpu=5ms,wall` arrives as `start,cpu`, which the agent accepts.
)";

constexpr std::string_view kSemantics = R"(
## Events and intervals

An *event* is what a recording samples or counts. An option string can combine all events.

- `cpu` samples a thread while it uses CPU time.
- `wall` samples running and waiting threads alike, as time passes.
- `alloc` samples objects when threads allocate them ([allocations.md](allocations.md)). It needs
  JDK 11 or later. With `live`, jprof also follows these objects until they are collected
  ([live-objects.md](live-objects.md)).
- `lock` and `nativelock` record waits for locks ([locks.md](locks.md)).
- `trace=METHODS` counts and times calls of methods ([tracing.md](tracing.md)). It has no interval. A
  string with `trace` and no other event records only calls.

A *trigger* is the source of the interrupts at which CPU samples are taken. `ctimer` (a timer for
each thread), `perf` (perf_events) and `itimer` (one timer for the process) are triggers, and each of
them can be given in place of `cpu`. With `cpu`, jprof takes the cheapest trigger that can keep the
interval, and the answer to `start` names it. [clocks.md](clocks.md) compares the triggers.

The table has the intervals of `cpu` and `wall` that some strings select:

| string | cpu | wall |
|---|---|---|
| `start` | 10ms | off |
| `start,interval=5ms` | 5ms | off |
| `start,event=wall` | off | 50ms |
| `start,event=cpu,wall` | 10ms | 50ms |
| `start,cpu=5ms,wall=100ms` | 5ms | 100ms |
| `start,event=wall,interval=20ms,cpu` | 10ms | 20ms |
| `start,event=cpu,alloc=256k` | 10ms | off |
| `start,event=alloc` | off | off |
| `start,event=wall,itimer` | 10ms | 50ms |
| `start,cpu,wall,interval=5ms` | refused: `interval` sets one event, and no `event=` says which one | |
| `start,cpu=5ms,interval=6ms` | refused: the string has two intervals for `cpu` | |
| `start,event=perf,itimer` | refused: the string has two triggers for `cpu` | |

`alloc` without SIZE samples one object for every 512k, but at most 4000 objects a second. If threads
allocate more than 2 GB a second, jprof raises the interval ([allocations.md](allocations.md)).

The least intervals protect the program. Walking a stack takes some microseconds of the sampled
thread. At each interval of `wall`, jprof looks at every thread. A thread can allocate gigabytes a
second.

## Stacks

- `cstack=fp` needs code that keeps frame pointers. Most libraries do not keep them.
- With `cstack=agct`, AsyncGetCallTrace sometimes finds no Java frame. The stack is then the
  interrupted code and a frame that names the reason.
- A thread without Java frames has a native stack. With `agct` and `no`, this stack is only the
  interrupted code.
- `jstackdepth=N/M` keeps the innermost N - M frames and the outermost M frames of a stack that is
  deeper than N. Without M, a quarter of the N frames are outermost ones.

## A part of the recording

The agent converts the recording if the name of `file` ends with `.html`, `.collapsed` or `.txt`.
`thread`, `state`, `from`, `until`, `reverse`, `lines` and `total` select what such a file contains,
and how it is shown:

```
start,event=wall,cpu,thread='http-*',state=parked+in-object-wait,file=/abs/waits.collapsed
```

- These options mean the same as in `jprof convert` ([slices.md](slices.md)). But the values of
  `from` and `until` can only be times after the start: `from=30s` leaves out the first 30 seconds.
- A `.collapsed` or `.txt` file has only the first event of `event=` that has samples. A page (`.html`) opens on this
  event, and has the other events too.
- Pages always have line numbers.
- A `.jfr` file has the whole recording, so these options are refused with it.
- `include` and `exclude` are always refused. Use `jprof convert` for them.

## Values

**Numbers.** A TIME is a whole number and one of the units `ns`, `us`, `ms`, `s`, `m` (minutes), `h`.
A SIZE is a whole number and one of the units `k`, `m`, `g` (powers of 1024). Fractions are refused:
write `1500us` for 1.5 ms. A number without a unit means the same as in async-profiler: an interval
(`cpu`, `wall`, `lock`, `nativelock`, `interval`) is in nanoseconds, any other TIME in seconds, and a
SIZE in bytes.

**Threads and states.** THREADS are items that are joined by `+`. An item is a thread id, a range of
ids (`100-199`), or a pattern for the whole Java or kernel name of a thread. In a pattern, `*` stands
for any number of characters and `?` for one. STATES are names of thread states
([slices.md](slices.md)), or beginnings of such names, joined by `+`.

**Signals.** A SIGNAL is a name, with or without `SIG`, or a number.
[beside-jfr.md](beside-jfr.md) says when to choose one.

**Quotes.** A value that contains a comma, or ends with a space, must be in quotes, `'` or `"`:
`start,file='/tmp/a,b.jfr'`. Inside the quotes, a quote of the same kind is written twice. `jprof`
adds quotes by itself.

**The log.** `loglevel` and `log` stay in force until they are given again.

**The task watcher.** If `tlswatcher` is not given, the first of these that is set to 0 or 1 decides:
the system properties `jprof.tls.watcher` and `DD_PROFILER_TLS_WATCHER`, then the environment
variables `JPROF_TLS_WATCHER` and `DD_PROFILER_TLS_WATCHER`. If none is set, the watcher runs
([priming.md](priming.md#the-task-watcher)).

## Names of files

A PATTERN is a path. At the start of the recording, jprof replaces these parts of it:

| part | what replaces it |
|---|---|
| `%p` | the process id |
| `%t` | the local start time of the file, as `yyyyMMdd-HHmmss` |
| `%n` | the number of the file in a recording with `loop` |
| `%u` | random hexadecimal digits, for processes in different containers that have the same id |
| `%{NAME}` | the value of the environment variable NAME; the start fails if it is not set |
| `%%` | a percent sign |

- Any other `%` is refused.
- A relative path starts at the working directory of the JVM.
- The name must end with `.jfr`, `.html`, `.collapsed` or `.txt`, in upper or lower case. It must
  belong to a regular file or be free.
- If another living process writes the file, that file is kept. The new file gets the process id in
  its name, as in `out-4711.jfr`, and the answer says so. This happens when several JVMs inherit one
  `JAVA_TOOL_OPTIONS`.
- A symbolic link is followed only if the JVM's user or root owns it, and if no other user may write
  to the folder that it is in.

`loop` starts a new file every TIME:

- The first `%n` of a recording is one above the highest number in the folder. So a new recording
  replaces no file of an earlier one.
- `maxsize` counts all files, including the open one. A file ends as soon as it has reached half of
  `maxsize`, but not in its first second. A chunk ends at a quarter of `maxsize`, or earlier.
- For a moment, the files can exceed `maxsize` by one chunk.

## Coming from async-profiler

The grammar is the same, with these differences:

- An unknown word is an error and not a warning.
- `file` is given to `start`, not to `stop`.
- `m` means minutes.
- Each word can be given only once.
- The items of `filter` are joined by `+`.

[cli.md](cli.md#coming-from-async-profiler) lists the words of async-profiler's command line.
)";

std::string CommandTable() {
  std::string text =
      "\n## Commands\n\nA string has exactly one command:\n\n"
      "| command | what it does | its options |\n|---|---|---|\n";
  for (const CommandRow& command : kCommands) {
    if (IsHidden(command)) continue;
    std::string taken;
    for (const OptionRow& option : kOptions) {
      if (!option.commands.Has(command.id) || IsHidden(option)) continue;
      if (!taken.empty()) taken += ", ";
      taken += "`" + std::string(option.name) + "`";
    }
    text += "| `" + std::string(command.name) + "` | " + std::string(command.help) + " | " + taken +
            " |\n";
  }
  return text;
}

std::string Code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

std::string OptionTables() {
  std::string text = "\n## Options\n";
  for (const OptionGroupRow& group : kOptionGroups) {
    std::string rows;
    for (const OptionRow& row : kOptions) {
      if (row.group != group.id || IsHidden(row)) continue;
      rows += "| " + Code(FormOf(row)) + " | " + std::string(row.help) + " | " +
              Code(row.default_text) + " | " + Code(row.min) + " | " + Code(row.max) + " |\n";
    }
    if (rows.empty()) continue;
    text += "\n### " + std::string(group.title) + "\n\n" +
            "| option | what it does | default | least | most |\n|---|---|---|---|---|\n" + rows;
  }
  return text;
}

// Returns the values of every kind that can be listed, with their meanings.
std::string ValueTable() {
  std::string text =
      "\n### Values that have a name\n\n| kind of value | value | meaning |\n|---|---|---|\n";
  for (const OptionValueRow& row : kOptionValues) {
    text += "| " + std::string(row.kind) + " | " + Code(row.name) + " | " + std::string(row.help) +
            " |\n";
  }
  return text;
}

}  // namespace

std::string OptionsMarkdown() {
  std::string text(kIntroduction);
  text += CommandTable();
  text += OptionTables();
  text += ValueTable();
  text += kSemantics;
  return text;
}

}  // namespace jprof
