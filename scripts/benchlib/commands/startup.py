"""Measures what a profiler adds to the start of a JVM that prints hello.

Runs the JVM without and with each profiler in rotating order. Prints the medians of the elapsed
time and of the peak resident memory (VmHWM, as wait4 reports it), and the differences to the run
without a profiler.
"""

import sys

from benchlib import agents, figures, jdks, results
from benchlib.rounds import programs_by_turns

MIN_ROUNDS = 21


def configure(parser):
    parser.add_argument("--rounds", type=int, default=MIN_ROUNDS)
    jdks.add_argument(parser)
    agents.add_arguments(parser, default=f"{agents.NONE},{agents.OURS}")
    results.add_out_argument(parser)


def measure(build, home, chosen, settings, rounds):
    # The first round, which fills the page cache, does not count.
    return programs_by_turns(build, home, chosen, settings, rounds, ["Hello"], warm_ups=1)


def add_to(result, home, runs):
    rows = []
    alone = runs.get(agents.NONE)
    for name, mine in runs.items():
        row = [name]
        for field in ("milliseconds", "resident_mb"):
            values = [getattr(run, field) for run in mine]
            added = alone and figures.differences(values, [getattr(run, field) for run in alone])
            result.add_figure(f"startup/{jdks.name(home)}/{name}/{field}",
                              figures.Spread.of(values))
            row += [f"{figures.Spread.of(values).median:.1f}",
                    "-" if name == agents.NONE or not added else f"{added.median:+.1f}"]
        rows.append(row)
    return result.add_table(f"Start to end of hello, {jdks.name(home)}",
                            ["profiler", "ms", "added", "MB", "added"], rows)


def run(arguments):
    if arguments.rounds < MIN_ROUNDS:
        sys.exit(f"medians of fewer than {MIN_ROUNDS} rounds say little")
    result = results.Result("startup", arguments)
    for home in jdks.chosen(arguments):
        chosen = agents.available(arguments.build, home, arguments)
        runs = measure(arguments.build, home, chosen, agents.settings(arguments), arguments.rounds)
        results.print_table(add_to(result, home, runs))
    result.finish(arguments.out)
