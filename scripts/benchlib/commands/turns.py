"""Measures precisely what recording costs while it is on, in windows of one JVM.

Every second window is recorded. Two JVMs with the same work differ by some percent, because the
decisions of the JIT compiler depend on timing; windows of one JVM do not. What stays after a stop
(capabilities, loaded code) is in both kinds of windows. Therefore this figure does not contain the
cost of having loaded a profiler, which `compare` measures. Prints the ratio of the CPU time of the
process per operation (median of the pairs of windows, the least and the most, and the upper bound
of the median at 95 %).
"""

import os
import sys
import tempfile
import time

from benchlib import agents, attach, figures, jdks, processes, results, workloads

WARM_UP_SECONDS = 6.0
WINDOW_SECONDS = 0.5
# The windows before each measured one. The recording starts and stops in these.
SETTLE_WINDOWS = 3
LEAST_ROUNDS = 5  # needed for a bound at 95 %: with fewer rounds all values can be below the median
ON_ONE_CPU = ("handoff",)  # then each item takes two switches: no spinning, no migration


def configure(parser):
    workloads.add_argument(parser)
    parser.add_argument("--rounds", type=int, default=15, help="pairs of windows")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser, default=agents.OURS)
    agents.add_sampling_arguments(parser, others=(agents.ALLOCATIONS,))
    results.add_out_argument(parser)


class Windows:
    """A JVM that runs a workload in windows."""

    def __init__(self, build, home, workload):
        cpus = {max(os.sched_getaffinity(0))} if workload in ON_ONE_CPU else None
        self.program = processes.Program(workloads.windows_command(build, home, workload), cpus)
        self.operations = 1
        begin = time.monotonic()
        while time.monotonic() - begin < WARM_UP_SECONDS:
            seconds = self._run(self.operations)
            self.operations = self._fitting(seconds)

    def _fitting(self, seconds):
        """Returns the number of operations for a window of WINDOW_SECONDS, given the seconds of
        the last window. It is at most ten times as high as before."""
        return max(1, round(self.operations * min(10.0, WINDOW_SECONDS / max(seconds, 1e-6))))

    def _run(self, operations):
        begin = time.monotonic()
        self.program.ask(str(operations), "checksum")
        return time.monotonic() - begin

    def cpu_per_operation(self):
        """Returns the CPU seconds per operation in a window. Earlier windows, to settle, do not
        count."""
        self._run(SETTLE_WINDOWS * self.operations)
        begin = processes.cpu_seconds(self.program.pid)
        self._run(self.operations)
        return (processes.cpu_seconds(self.program.pid) - begin) / self.operations


def pairs(program, cost, agent, settings, rounds):
    """Returns a list of pairs (cost() without the profiler, cost() with it) for a running
    program. Ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")

        def profiled():
            attach.tell(program.pid, agent.attach_request(settings, recording))
            with_profiler = cost()
            attach.tell(program.pid, agent.stop_request())
            return with_profiler

        try:
            profiled()  # loads the agent, so that the JIT compiler adapts to its changes
            found = []
            for i in range(rounds):
                costs = {window: window() for window in figures.alternating(cost, profiled, i)}
                found.append((costs[cost], costs[profiled]))
            return found
        finally:
            program.end()


def measure(build, home, agent, settings, workload, rounds):
    """Returns, for each pair of windows, the ratio of the CPU time per operation with the
    profiler to that without."""
    windows = Windows(build, home, workload)
    return [profiled / plain for plain, profiled in
            pairs(windows.program, windows.cpu_per_operation, agent, settings, rounds)]


def measure_all(build, home, chosen, settings, workload, rounds):
    """Returns {agent's name: result of measure()}."""
    found = {}
    for agent in chosen:
        try:
            found[agent.name] = measure(build, home, agent, settings, workload, rounds)
        except (processes.Failed, TimeoutError) as failure:
            print(f"left out: {agent.name}, {workload}: {failure}", file=sys.stderr)
    print(f"{workload}, {settings.interval}: done", flush=True)
    return found


def rounds_in(seconds):
    """Returns how many pairs of windows measure() can do in about this time."""
    pair = 2 * (SETTLE_WINDOWS + 1) * WINDOW_SECONDS
    return (seconds - WARM_UP_SECONDS) / pair - 1


def add_to(result, home, measured, settings):
    """Adds the table of ratios. `measured` is {workload: {agent's name: ratios}}."""
    names = list(dict.fromkeys(name for ratios in measured.values() for name in ratios))
    rows = []
    for workload, by_agent in measured.items():
        row = [workload]
        for name in names:
            ratios = by_agent.get(name)
            spread = figures.Spread.of(ratios or [])
            result.add_figure(
                f"turns/{jdks.name(home)}/{workload}-{settings.interval}/{name}/cpu", spread)
            row.append(f"x{spread.text(3)}, at most x{figures.upper_bound_of_median(ratios):.3f}"
                       if spread else "-")
        rows.append(row)
    return result.add_table(
        f"CPU time of an operation while recording, every {settings.interval} "
        f"{'allocated' if settings.event == agents.ALLOCATIONS else 'of CPU time'}, in turns, "
        f"{jdks.name(home)}", ["workload"] + names, rows)


def attachable(chosen, settings):
    return [agent for agent in chosen if agent.attach_request(settings, "") is not None]


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    settings = agents.settings(arguments)
    chosen = attachable(agents.available(build, home, arguments), settings)
    result = results.Result("turns", arguments)
    measured = {name: measure_all(build, home, chosen, settings, name, arguments.rounds)
                for name in workloads.chosen(build, home, arguments.workload)}
    results.print_table(add_to(result, home, measured, settings))
    result.finish(arguments.out)
