#include "options/doc/options_markdown.h"

#include <string_view>

#include "options/option_table.h"

namespace jprof {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Generated from src/options/options.def: edit that, then build update_options_doc. -->
# Options

The agent takes one string: words separated by commas, in any order, without spaces. One of the
words is a command, the others are options, `name` or `name=value`. Names and units are lower case.
The string is accepted as a whole or refused with one line that says why.

```
java -agentpath:/path/libprofiler.so=start,event=cpu,file=/abs/%p.jfr ...
jcmd PID JVMTI.agent_load /path/libprofiler.so '"start,event=wall,file=/abs/out.jfr"'
jcmd PID JVMTI.agent_load /path/libprofiler.so stop
```

**Quote twice with jcmd**, as above. If an argument is not in quotes when it reaches jcmd, jcmd
passes on only the part before the first `=`: `start,event=wall,file=/abs/out.jfr` arrives as
`start,event`, which is refused, but `start,cpu=5ms,wall` arrives as `start,cpu`, which is valid.
)";

constexpr std::string_view kSemantics = R"(
## Engines and intervals

`cpu` samples a thread as it consumes CPU time; `wall` samples running and waiting threads alike, as
time passes; `alloc` samples objects as threads allocate them (JDK 11 and later;
[allocations.md](allocations.md); `live` follows them: [live-objects.md](live-objects.md)). All may
run at once.

A *trigger* is the source of the interrupts at which CPU samples are taken. `event=cpu` takes the
cheapest trigger that can keep the interval, and the answer to `start` names it; `ctimer` requests a
timer for each thread, `perf` perf_events, `itimer` one timer for the process.
[clocks.md](clocks.md) compares them.

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
| `start,cpu,wall,interval=5ms` | refused: `interval` is for one engine, and no `event` says which | |
| `start,cpu=5ms,interval=6ms` | refused: they contradict each other | |
| `start,event=perf,itimer` | refused: both are ways to `cpu` | |

`trace=METHODS` counts and times calls of methods: [tracing.md](tracing.md). It stands alone or
joins the engines that are named, and has no interval.

`alloc` without SIZE samples every 512k, but no more than 4000 times a second: where threads allocate
more than 2 GB a second the interval grows with the rate ([allocations.md](allocations.md)).

The lower limits protect the application: walking a stack costs the sampled thread some
microseconds, a wall interval looks at every thread, and a thread allocates up to gigabytes a second.

## Stacks

| `cstack` | frames |
|---|---|
| `vm` | native frames above the topmost Java frame, then Java frames |
| `vmx` | every frame, native ones between and below Java frames too |
| `fp` | as `vmx`; native frames by the chain of frame pointers, which most libraries do not keep |
| `agct` | Java frames by HotSpot's AsyncGetCallTrace, or the interrupted code and the reason for none |
| `no` | Java frames |

Threads without Java frames have native stacks (with `agct` and `no` the interrupted code alone).

## A part of the recording

A file that is converted (`.html`, `.collapsed`, `.txt`) has what `thread`, `state`, `from`, `until`, `reverse`,
`lines` and `total` say. They are words of `jprof convert` and mean the same: [slices.md](slices.md).
`from` and `until` are a TIME after the start: `from=30s` leaves the warm-up out. The file shows the first event of
`event=`; a page contains the others too. A `.jfr` contains everything, so these words are refused
with it. `include` and `exclude` are always refused: use them with `jprof convert`.
Pages always contain line numbers.

```
start,event=wall,cpu,thread='http-*',state=parked+in-object-wait,file=/abs/waits.collapsed
```

## Values

- TIME: a whole number and `ns`, `us`, `ms`, `s`, `m` (minutes) or `h`.
- SIZE: a whole number and `k`, `m` or `g` (powers of 1024).
- Numbers without unit mean the same here, in `jprof` and in async-profiler: the intervals (`cpu`, `wall`,
  `interval`) are nanoseconds, other times seconds, sizes bytes. Fractions are refused: write `1500us`,
  not `1.5ms`.
- THREADS: items joined by `+`: a thread id, a range of ids (`100-199`), or a pattern for the whole
  Java or kernel name, with `*` for any letters and `?` for any one.
- STATES: names of states of threads, or the first letters of such names, joined by `+`: [slices.md](slices.md). SUM: `samples` or `value`.
- SIGNAL: by name, with `SIG` or without, or by number. When to choose one:
  [beside-jfr.md](beside-jfr.md).
- If `tlswatcher` is not given, the system property `jprof.tls.watcher` decides, then the
  environment variable `JPROF_TLS_WATCHER`; both also under the name `DD_PROFILER_TLS_WATCHER`. If none is set, it is 1.
- PATTERN: a path in which `%p` is the process id, `%t` the start time as `yyyyMMdd-HHmmss`, `%u` random
  digits (processes of several containers have equal ids), `%n` the number of a file of `loop`, `%{NAME}` an environment variable, `%%` a percent sign. A variable that is not set, and any other
  `%`, is an error. A relative path starts at the working directory of the JVM. At start the name ends
  with `.jfr`, `.html`, `.collapsed` or `.txt`, in upper or lower case, and is a regular file's.
- A recording with `loop` starts `%n` after the highest number in its folder, so that it replaces no file of an
  earlier recording. `maxsize` counts the open file too: when a file reaches half of it, the next file starts, but a file
  stays open for at least a second. Chunks are then at most a quarter of `maxsize`. For a moment, one more chunk can be on the disk.
- A file that another living process writes is not replaced: the name gets the process id, `out-4711.jfr`, and
  the answer says so. Every JVM that inherits a `JAVA_TOOL_OPTIONS` (children, `jcmd`) records to the same name.
- A symbolic link is followed only if it is the JVM's user's or root's, in a folder that no other user may
  write to.
- A value with a comma, or with a space at its end, must be in quotes, `'` or `"`:
  `start,file='/tmp/a,b.jfr'`. A quote of the same kind inside is written twice. `jprof` quotes values by itself.
- `loglevel` and `log` stay in force until they are given again.

## Coming from async-profiler

The grammar is the same. What differs: an unknown word is an error, not a warning; `file` is given
at start, not at stop; `m` is minutes; a word may be given only once; items of `filter` are joined by `+`. The words of the
command line: [cli.md](cli.md).
)";

std::string CommandTable() {
  std::string text = "\n## Commands\n\nExactly one.\n\n| command | does | takes |\n|---|---|---|\n";
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
            "| option | does | default | least | most |\n|---|---|---|---|---|\n" + rows;
  }
  return text;
}

// Returns the values of every kind that can be listed, with their meanings.
std::string ValueTable() {
  std::string text = "\n### Values that have a name\n\n| value | is | means |\n|---|---|---|\n";
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
