"""Runs a workload without and with each profiler in rotating order: what each costs and yields.

Prints the medians of the rounds, each with the least and the most, and the ratios to the run
without a profiler in the same round. The workload does a fixed amount of work: `--scale` times 10
to 25 s of CPU time, after a warm-up of a quarter of that. The figures are those of the work after
the warm-up:

  CPU/op    CPU time of the process per operation / the same without a profiler
  rate      operations per second of elapsed time / the same without a profiler
  RSS       peak resident memory of the process, in MB more than without a profiler
  samples   events of the clock (the first of cpu and wall that is recorded)
  yield     intervals that these events stand for / intervals in the CPU time of the process; not
            for wall
  B/sample  size of the file / events of the clock, including those of the warm-up
  rootless  share of intervals whose stack does not end where a thread starts
  unknown   share of intervals whose stack is empty or has an unknown frame
  handler   microseconds in signal handlers per event, if the profiler records them; includes
            waiting for a processor, so it is meaningful only on an idle machine
  own       (time in signal handlers + CPU time of the profiler's threads) / CPU time of the
            process; without the start of the profiler
"""

import os
import tempfile

from benchlib import agents, figures, jdks, processes, recordings, results, workloads
from benchlib.rounds import by_turns


def configure(parser):
    workloads.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0,
                        help="factor for the amount of work; below 1 for quick looks; default: 1")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser)
    agents.add_sampling_arguments(parser)
    results.add_out_argument(parser)


def measure_once(build, home, agent, settings, workload, scale):
    """Runs a workload once. Returns {name of a figure: its number, or None}."""
    clock = settings.events[0]
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        done = processes.run(workloads.command(build, home, workload, scale,
                                               agent.jvm_arguments(settings, recording)))
        values = done.values
        read = recordings.read(build, recording, clock, begin=round(values["begin.nanos"]),
                               end=round(values["end.nanos"]))
    run = {
        "cpu.perOperation": values["cpu.nanos"] / values["operations"],
        "cpu.seconds": values["cpu.nanos"] / 1e9,
        "rate": values["operations"] / values["wall.nanos"] * 1e9,
        "resident.mb": done.resident_mb,
        "checksum": values["checksum"],
    }
    return {**run, **recorded(read, values["cpu.nanos"] / 1e9, settings),
            **own_cost(recordings.own_times(read), read.get("samples.all"), done.cpu_seconds)}


def recorded(read, cpu_seconds, settings):
    """Returns the figures that follow from a result of recordings.read(); none if it has no
    samples."""
    samples, intervals = read.get("samples"), read.get("intervals")
    if not samples:
        return {}
    return {
        "samples": samples,
        "yield": None if settings.events[0] == "wall"
        else intervals * settings.interval_seconds / cpu_seconds,
        "bytes.perSample": read["bytes"] / read["samples.all"],
        "rootless": read["stacks.rootless"] / intervals,
        "unknown": read["stacks.unknown"] / intervals,
    }


HANDLERS = "signal handlers"


def own_cost(times, samples, cpu_seconds):
    """Returns figures of the time that the profiler itself took; none if it does not record this
    time."""
    if not times or not samples:
        return {}
    shares = {part: nanos / 1e9 / cpu_seconds for part, nanos in times.items()}
    return {
        "handler.us": times.get(HANDLERS, 0) / 1e3 / samples,
        "own.share": sum(share for part, share in shares.items()
                       if part == HANDLERS or part.startswith("thread ")),
        "own.parts": shares,
    }


def measure(build, home, chosen, settings, workload, scale, rounds, result):
    """Returns {agent's name: [figures of each round]}."""
    runs = by_turns(
        chosen, rounds,
        lambda agent: measure_once(build, home, agent, settings, workload, scale))
    for name, mine in runs.items():
        for i, run_ in enumerate(mine):
            result.add_run(workload=workload, agent=name, round=i, **run_)
    return runs


# For each column: its title, its figure, the function that compares the figure with `none`, its
# text.
COLUMNS = (
    ("CPU/op", "cpu.perOperation", figures.ratios, lambda spread: "x" + spread.text(3)),
    ("rate", "rate", figures.ratios, lambda spread: "x" + spread.text(3)),
    ("RSS", "resident.mb", figures.differences, lambda spread: f"{spread.median:+.1f} MB"),
    ("samples", "samples", None, lambda spread: f"{spread.median:.0f}"),
    ("yield", "yield", None, lambda spread: f"{spread.median:.3f}"),
    ("B/sample", "bytes.perSample", None, lambda spread: f"{spread.median:.0f}"),
    ("rootless", "rootless", None, lambda spread: f"{spread.median:.2%}"),
    ("unknown", "unknown", None, lambda spread: f"{spread.median:.2%}"),
    ("handler", "handler.us", None, lambda spread: f"{spread.median:.1f} us"),
    ("own", "own.share", None, lambda spread: f"{spread.median:.2%}"),
)


def _values(runs, figure):
    return [run.get(figure) for run in runs]


def row(name, runs, alone, add_figure):
    """Returns the cells of one profiler."""
    cells = [name]
    for _, figure, against, text in COLUMNS:
        if against and name == agents.NONE:
            cells.append(_absolute(figure, figures.Spread.of(_values(runs, figure))))
            continue
        if against:
            spread = against(_values(runs, figure), _values(alone, figure)) if alone else None
        else:
            spread = figures.Spread.of(_values(runs, figure))
        add_figure(figure, spread)
        cells.append(text(spread) if spread else "-")
    return cells


def _absolute(figure, spread):
    value = spread.median
    if figure == "cpu.perOperation":
        return f"{value / 1e9:.2f} s" if value >= 1e9 else f"{value / 1e3:.1f} us"
    if figure == "resident.mb":
        return f"{value:.0f} MB"
    return f"{value:.0f}/s" if value >= 10 else f"{value:.2g}/s"


def add_to(result, home, workload, runs, label=None):
    """Adds the table of a workload. `label`, if given, replaces the workload in the names of
    figures."""
    alone = runs.get(agents.NONE)
    prefix = f"compare/{jdks.name(home)}/{label or workload}"
    rows = [row(name, mine, alone, lambda figure, spread, name=name: result.add_figure(
                f"{prefix}/{name}/{figure}", spread))
            for name, mine in runs.items() if mine]
    return result.add_table(
        f"{workload}, {jdks.name(home)}; an operation: {workloads.WORKLOADS[workload].unit}",
        ["profiler"] + [column[0] for column in COLUMNS], rows)


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    settings = agents.settings(arguments)
    chosen = agents.available(build, home, arguments)
    result = results.Result("compare", arguments)
    for workload in workloads.chosen(build, home, arguments.workload):
        runs = measure(build, home, chosen, settings, workload, arguments.scale, arguments.rounds,
                       result)
        results.print_table(add_to(result, home, workload, runs))
    result.finish(arguments.out)
