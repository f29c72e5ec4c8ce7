"""What a profiler adds to the life of a short thread.

20 000 short Java threads one after another, and a burst of 1000 side by side, without and with each
profiler in rotating order. Prints the medians of the time a thread takes and of the rounds'
differences, and threads per second.
"""

import os
import tempfile

from benchlib import agents, figures, jdks, processes, results
from benchlib.rounds import by_turns

KEYS = ("us.thread", "us.thread.cpu", "us.burst")


def configure(parser):
    parser.add_argument("--rounds", "--pairs", type=int, default=15)
    jdks.add_argument(parser)
    agents.add_arguments(parser, default=f"{agents.NONE},{agents.OURS}")
    results.add_out_argument(parser)


def measure(build, home, chosen, settings, rounds):
    """{agent's name: [the program's values of each round]}."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        return by_turns(
            chosen, rounds,
            lambda agent: processes.run(
                [home + "/bin/java", "-Xmx256m", *agent.jvm_arguments(settings, recording), "-cp",
                 build.workloads, "Churn", "20000", "1000"]).values)


def run(arguments):
    result = results.Result("churn", arguments)
    for home in jdks.chosen(arguments):
        chosen = agents.available(arguments.build, home, arguments)
        values = measure(arguments.build, home, chosen, agents.settings(arguments),
                         arguments.rounds)
        rows = []
        for name, mine in values.items():
            for key in KEYS:
                spread = figures.Spread.of([each[key] for each in mine])
                added = name != agents.NONE and agents.NONE in values and figures.differences(
                    [each[key] for each in mine], [each[key] for each in values[agents.NONE]])
                result.add_figure(f"churn/{jdks.name(home)}/{name}/{key}", spread)
                rows.append([name, key, f"{spread.median:.1f}",
                             f"{added.median:+.1f}" if added else "-",
                             f"{1e6 / spread.median:.0f}"])
        results.print_table(result.add_table(
            f"The life of a thread, {jdks.name(home)}",
            ["profiler", "figure", "median", "added", "threads/s"], rows))
    result.finish(arguments.out)
