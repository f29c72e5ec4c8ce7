"""Finds which parts of a recording cost CPU time, by libraries that leave out parts of the handler.

Each row runs more of a recording than the row above it, in rotating order:

  recording  a recording whose interval is 1000 s: the agent's start, its threads and its hooks
  signals    + the kernel interrupts each thread, and the handler returns at once
  handler    + the handler finds its thread and measures its own time
  walk       + the handler walks the stack
  ours       + the sample is stored, and the recorder writes it: the whole

Prints for each row the CPU time of the process per operation, divided by the same without a
profiler in the same round, and for the part that the row adds: its share of the CPU time without a
profiler, and its CPU time per sample. Each has the standard error of the mean over the rounds. The
second table has what the recording says of its own time, which is elapsed time in handlers. The
last table has the CPU time of single handlers, in a library that reads the CPU clock of the thread
at the begin and at the end of each handler; two readings take 0.5 us of it.

Needs the libraries for it: cmake --build --preset release --target account_libraries
"""

import os
import statistics
import sys
import tempfile

from benchlib import agents, figures, jdks, results, workloads
from benchlib.commands import compare

# The rows between `none` and `ours`: the name, the library in the build folder, the interval (None
# for the one that is measured).
PARTS = (("recording", "lib/libprofiler.so", "1000s"),
         ("signals", "account/libprofiler_without_handler.so", None),
         ("handler", "account/libprofiler_without_walking.so", None),
         ("walk", "account/libprofiler_without_writing.so", None))
TIMED = ("timed", "account/libprofiler_timed.so", None)
SHARES = (0.5, 0.9, 0.99, 0.999)


def configure(parser):
    workloads.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--scale", type=float, default=1.0,
                        help="factor for the amount of work; default: 1")
    parser.add_argument("--with", dest="others", type=agents.names, default=[],
                        metavar="NAME,...", help="other profilers to measure in the same rounds")
    parser.add_argument("--event", choices=("cpu", "perf", "ctimer"), default="cpu")
    parser.add_argument("--interval", default="1ms", help="default: 1ms")
    jdks.add_newest_argument(parser)
    results.add_out_argument(parser)


def options(arguments, interval=None):
    """Returns the options of our agent, without a file."""
    return f"start,{arguments.event}={interval or arguments.interval}"


def measured_agents(build, home, arguments):
    """Returns the agents in the order of the rows."""
    parts = []
    for name, library, interval in (*PARTS, TIMED):
        path = build.path(library)
        if not os.path.exists(path):
            sys.exit(f"{path} is not built: cmake --build --preset release "
                     "--target account_libraries")
        parts.append(agents.Agent(
            name, home, "",
            f"-agentpath:{path}={options(arguments, interval)},file={{folder}}/out.jfr"))
    others = [agents.find(build, name, home) for name in arguments.others]
    return [agents.find(build, agents.NONE, home), *parts, agents.find(build, agents.OURS, home),
            *(agent for agent in others if agent)]


def text(values, form, unit):
    mean, error = figures.mean_and_error(values)
    return f"{mean:{form}}{unit}" + ("" if error is None else f" ± {error:{form.lstrip('+')}}")


def account(runs):
    """Returns the rows of the table. `runs` has {name: [figures of each round]}."""
    alone = runs[agents.NONE]
    of_parts = [name for name, _, _ in PARTS] + [agents.OURS]
    rows, before = [], [1.0] * len(alone)
    for name, mine in runs.items():
        if name == agents.NONE:
            continue
        ratios = [run["cpu.perOperation"] / none["cpu.perOperation"]
                  for run, none in zip(mine, alone)]
        cells = [name, text(ratios, ".4f", ""), "", ""]
        if name in of_parts:
            added = [ratio - last for ratio, last in zip(ratios, before)]
            times = [share * none["cpu.seconds"] / run["samples"]
                     for share, none, run in zip(added, alone, runs[agents.OURS])]
            cells[2:] = [text([100 * share for share in added], "+.2f", " %"),
                         text([1e6 * time for time in times], "+.1f", " us")]
            before = ratios
        rows.append(cells)
    return rows


def own_rows(mine):
    """Returns the rows of what the recordings say of the profiler's own time."""
    names = sorted({part for run in mine for part in run.get("own.parts", {})})
    return [[name, text([100 * run["own.parts"].get(name, 0) for run in mine], ".3f", " %")]
            for name in names]


def time_row(lines):
    """Returns the row of the CPU times of handlers. `lines` has, for each JVM, the number of handlers
    by their microseconds."""
    counts = [sum(numbers) for numbers in zip(*(map(int, line.split()) for line in lines))]
    total, row = sum(counts), []
    for share in SHARES:
        below = place = 0
        while place < len(counts) - 1 and below + counts[place] < share * total:
            below += counts[place]
            place += 1
        row.append(f"{place + 1} us")
    return [str(total), *row] if total else []


def run(arguments):
    with tempfile.NamedTemporaryFile("r") as times:
        os.environ["JPROF_HANDLER_TIMES"] = times.name
        measure(arguments, times)


def measure(arguments, times):
    build, home = arguments.build, jdks.newest(arguments)
    settings = agents.Settings("cpu", arguments.interval, options(arguments))
    chosen = measured_agents(build, home, arguments)
    result = results.Result("account", arguments)
    for workload in workloads.chosen(build, home, arguments.workload):
        runs = compare.measure(build, home, chosen, settings, workload, arguments.scale,
                               arguments.rounds, result)
        samples = statistics.mean(run["samples"] for run in runs[agents.OURS])
        results.print_table(result.add_table(
            f"{workload}, {jdks.name(home)}, {arguments.event} at {arguments.interval}, "
            f"{arguments.rounds} rounds, {samples:.0f} samples a round",
            ["what runs", "CPU time", "the part adds", "per sample"], account(runs)))
        results.print_table(result.add_table(
            f"{workload}: own time, by the recordings", ["part", "of the CPU time"],
            own_rows(runs[agents.OURS])))
        rows = [row for row in [time_row(times.readlines())] if row]
        results.print_table(result.add_table(
            f"{workload}: CPU time of handlers, at most", ["handlers",
            *(f"{100 * share:g} %" for share in SHARES)], rows))
    result.finish(arguments.out)
