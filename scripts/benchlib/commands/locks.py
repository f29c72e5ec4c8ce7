"""Measures what event=lock and event=nativelock add to operations that do not wait, and to a start.

The operations: free monitors, ReentrantLocks and pthread mutexes are taken and released; a park
finds its permit; two threads unpark each other and park (a hand-over). The figure is the CPU time
of an operation: the least of several rounds in a JVM, without recording and with each of the two
events in turns.

Then event=lock is started in a busy JVM, in short windows before and after the start. The figure is
the CPU time of the process per operation of the workload xml, compared with that before the start.
The agent is loaded at this start, or at the launch of the JVM for an earlier recording that has
ended.
"""

import os
import statistics
import tempfile
import time

from benchlib import agents, attach, figures, jdks, processes, results, workloads
from benchlib.rounds import by_turns

TASKSET = "/usr/bin/taskset"  # a program of util-linux
KINDS = ("synchronized", "reentrant", "mutex", "permit", "handover")
EVENTS = ("lock", "nativelock")

WORKLOAD = "xml"
WARM_UP_SECONDS = 8.0
WINDOW_SECONDS = 0.1
WINDOWS_BEFORE = 15
WINDOWS_AFTER = 40
STEADY = 1.05  # greatest ratio at which a window counts as unchanged


def configure(parser):
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--starts", type=int, default=3,
                        help="number of starts of each kind; 0 for none")
    parser.add_argument("--operations", type=int, default=1_000_000)
    jdks.add_argument(parser)
    results.add_out_argument(parser)


def cost(build, home, operations, event):
    """Returns {kind: ns of an operation}. If `event` is agents.NONE, measures without the agent."""
    with tempfile.TemporaryDirectory() as folder:
        agent = [] if event.name == agents.NONE else [
            f"-agentpath:{build.library}=start,{event.name},file={folder}/out.jfr"]
        # On a single processor each hand-over takes exactly two switches.
        values = processes.run([TASKSET, "-c", str(max(os.sched_getaffinity(0))),
                                home + "/bin/java", "-Xmx256m", *agent, "-cp", build.workloads,
                                "LockCost", build.path("test/native"), str(operations), "5",
                                *KINDS]).values
        return {kind: values["ns." + kind] for kind in KINDS}


def costs(build, home, arguments, result):
    events = [agents.Agent(name, home, "") for name in (agents.NONE, *EVENTS)]
    found = by_turns(events, arguments.rounds,
                     lambda event: cost(build, home, arguments.operations, event))
    rows = []
    for kind in KINDS:
        nanos = {name: [each[kind] for each in values] for name, values in found.items()}
        without = figures.Spread.of(nanos[agents.NONE])
        result.add_figure(f"locks/{jdks.name(home)}/{kind}/none/ns", without)
        row = [kind, results.cell(without, 1)]
        for event in EVENTS:
            added = figures.differences(nanos.get(event, []), nanos[agents.NONE])
            ratio = figures.ratios(nanos.get(event, []), nanos[agents.NONE])
            result.add_figure(f"locks/{jdks.name(home)}/{kind}/{event}/added_ns", added)
            row += [results.cell(added, 1), results.cell(ratio, 3)]
        rows.append(row)
    results.print_table(result.add_table(
        f"CPU time of an operation, {jdks.name(home)}, ns",
        ["operation", "without"] + [text for event in EVENTS
                                    for text in (f"{event}: added", "ratio")], rows))


class Busy:
    """A JVM that runs a workload in windows."""

    def __init__(self, build, home, arguments):
        argv = workloads.windows_command(build, home, WORKLOAD)
        self.program = processes.Program([argv[0], *arguments, *argv[1:]])
        self.operations = 1
        begin = time.monotonic()
        while time.monotonic() - begin < WARM_UP_SECONDS:
            window = time.monotonic()
            self.cpu_per_operation()
            seconds = max(time.monotonic() - window, 1e-6)
            self.operations = max(1, round(self.operations * min(4.0, WINDOW_SECONDS / seconds)))

    def cpu_per_operation(self):
        """Returns the CPU seconds that the process uses per operation in one window."""
        begin = processes.cpu_seconds(self.program.pid)
        self.program.ask(str(self.operations), "checksum")
        return (processes.cpu_seconds(self.program.pid) - begin) / self.operations


def start(build, home, is_late):
    """Returns figures of the windows after a start: the highest ratio of CPU time, the number of
    windows until the ratio is at most STEADY, and the additional CPU time of all windows in ms."""
    with tempfile.TemporaryDirectory() as folder:
        early = f"-agentpath:{build.library}=start,cpu=1s,file={folder}/launch.jfr"
        busy = Busy(build, home, [] if is_late else [early])
        try:
            if not is_late:
                attach.tell(busy.program.pid, ["load", build.library, "true", "stop"])
            before = statistics.median(busy.cpu_per_operation() for _ in range(WINDOWS_BEFORE))
            attach.tell(busy.program.pid, ["load", build.library, "true",
                                           f"start,lock,file={folder}/out.jfr"])
            after = [busy.cpu_per_operation() / before for _ in range(WINDOWS_AFTER)]
        finally:
            busy.program.end()
        unsteady = next((i for i, each in enumerate(after) if each <= STEADY), len(after))
        return {"highest": max(after[:5]), "windows": unsteady,
                "more": sum(each - 1 for each in after) * before * busy.operations * 1e3}


def starts(build, home, arguments, result):
    rows = []
    for name, is_late in (("late", True), ("at the launch", False)):
        found = [start(build, home, is_late) for _ in range(arguments.starts)]
        spreads = {key: figures.Spread.of([each[key] for each in found]) for key in found[0]}
        for key, spread in spreads.items():
            result.add_figure(f"locks/{jdks.name(home)}/start/{name}/{key}", spread)
        rows.append([name, results.cell(spreads["highest"], 2),
                     results.cell(spreads["windows"], 0), results.cell(spreads["more"], 0)])
    results.print_table(result.add_table(
        f"Start of event=lock in a busy JVM, {jdks.name(home)}",
        ["agent loaded", f"CPU time of an operation: highest of 5 windows of {WINDOW_SECONDS} s",
         f"windows until below {STEADY}",
         f"CPU time more in {WINDOW_SECONDS * WINDOWS_AFTER:.0f} s, ms"], rows))


def run(arguments):
    result = results.Result("locks", arguments)
    for home in jdks.chosen(arguments):
        if arguments.rounds > 0:
            costs(arguments.build, home, arguments, result)
        if arguments.starts > 0 and workloads.runnable(arguments.build, home, WORKLOAD):
            starts(arguments.build, home, arguments, result)
    result.finish(arguments.out)
