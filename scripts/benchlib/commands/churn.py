"""Measures what a profiler adds to the life of a short thread.

Runs 20 000 short Java threads one after another, and a burst of 1000 at the same time, without a
profiler and with each profiler, in rotating order. Prints the medians of the time per thread, of
the differences to the run without a profiler in the same round, and of the threads per second.
"""

from benchlib import agents, figures, jdks, results
from benchlib.rounds import programs_by_turns

KEYS = ("us.thread", "us.thread.cpu", "us.burst")


def configure(parser):
    parser.add_argument("--rounds", "--pairs", type=int, default=15)
    jdks.add_argument(parser)
    agents.add_arguments(parser, default=f"{agents.NONE},{agents.OURS}")
    results.add_out_argument(parser)


def run(arguments):
    result = results.Result("churn", arguments)
    for home in jdks.chosen(arguments):
        chosen = agents.available(arguments.build, home, arguments)
        runs = programs_by_turns(arguments.build, home, chosen, agents.settings(arguments),
                                 arguments.rounds, ["Churn", "20000", "1000"])
        rows = []
        for name, mine in runs.items():
            for key in KEYS:
                values = [run.values[key] for run in mine]
                spread = figures.Spread.of(values)
                added = name != agents.NONE and agents.NONE in runs and figures.differences(
                    values, [run.values[key] for run in runs[agents.NONE]])
                result.add_figure(f"churn/{jdks.name(home)}/{name}/{key}", spread)
                rows.append([name, key, f"{spread.median:.1f}",
                             f"{added.median:+.1f}" if added else "-",
                             f"{1e6 / spread.median:.0f}"])
        results.print_table(result.add_table(
            f"The life of a thread, {jdks.name(home)}",
            ["profiler", "figure", "median", "added", "threads/s"], rows))
    result.finish(arguments.out)
