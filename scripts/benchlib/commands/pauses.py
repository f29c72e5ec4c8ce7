"""Measures precisely what following live objects costs the collector, in windows of one JVM.

For each collector, one JVM runs a program in windows with and without recording, that have the same
young collections. The figure is the CPU time per collection of the threads that work while the
program is stopped. On an otherwise idle machine this is the length of the pause times the number of
these threads. Prints the ratio (median of the pairs of windows, the least and the most, and the
upper bound of the median at 95 %).
"""

from benchlib import agents, figures, jdks, processes, results
from benchlib.commands import turns

COLLECTORS = ("Serial", "Parallel", "G1")
# A window allocates 6.7 GB, which are 23 collections of the nursery below.
MILLIONS = 120
HEAP = ["-Xms1g", "-Xmx1g", "-Xmn350m"]
# The windows before each measured one. In these, objects from before the recording are replaced.
SETTLE_WINDOWS = 1


def configure(parser):
    parser.add_argument("--rounds", type=int, default=15, help="pairs of windows")
    parser.add_argument("--kept", type=int, default=50_000,
                        help="objects of 64 bytes that survive a collection; default: 50000")
    parser.add_argument("--collectors", default=",".join(COLLECTORS), metavar="NAME,...")
    parser.add_argument("--millions", type=int, default=MILLIONS,
                        help=f"objects that a window allocates; default: {MILLIONS}")
    parser.add_argument("--options", default="start,alloc,live",
                        help="options of our agent; default: start,alloc,live")
    jdks.add_newest_argument(parser)
    results.add_out_argument(parser)


class Collections:
    """A JVM whose windows all have the same collections."""

    def __init__(self, build, home, collector, kept, millions):
        self.program = processes.Program(
            [home + "/bin/java", f"-XX:+Use{collector}GC", *HEAP, "-cp", build.workloads,
             "Survivors", str(kept), str(millions)])

    def nanos(self):
        """Returns the CPU time per collection in a window. Earlier windows, to settle, do not
        count."""
        for _ in range(SETTLE_WINDOWS):
            self.program.ask("settle", "nanos")
        return self.program.ask("measure", "nanos")


def measure(build, home, agent, settings, collector, arguments):
    """Returns the Spread of the CPU time per collection without the profiler, and the ratios of
    the time with the profiler to that without, one for each pair of windows."""
    windows = Collections(build, home, collector, arguments.kept, arguments.millions)
    found = turns.pairs(windows.program, windows.nanos, agent, settings, arguments.rounds)
    return (figures.Spread.of([plain for plain, _ in found]),
            [profiled / plain for plain, profiled in found])


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    settings = agents.Settings(options=arguments.options)
    agent = agents.find(build, agents.OURS, home)
    result = results.Result("pauses", arguments)
    rows = []
    for collector in arguments.collectors.split(","):
        plain, ratios = measure(build, home, agent, settings, collector, arguments)
        spread = figures.Spread.of(ratios)
        result.add_figure(f"pauses/{jdks.name(home)}/{collector}/cpu", spread)
        rows.append([collector, f"{plain.median / 1e6:.2f} ms", f"x{spread.text(3)}",
                     f"x{figures.upper_bound_of_median(ratios):.3f}"])
    results.print_table(result.add_table(
        f"CPU time of a collection with {arguments.options}, {arguments.kept} objects kept, "
        f"{jdks.name(home)}", ["collector", "without", "with", "at most"], rows))
    result.finish(arguments.out)
