"""Measures what tracing adds to a call of a method: ours, async-profiler and the JDK (JEP 520).

A method of a few instructions is called in a loop, without a tracer and with each tracer in turns.
The figure is the CPU time of the calling thread for one call, in the fastest round. The thresholds
for slow calls are so high that no call exceeds them. Also measures a call that begins a window.
"""

import dataclasses
import os
import tempfile
import typing

from benchlib import agents, figures, jdks, processes, results
from benchlib.rounds import by_turns

METHOD = "CallCost.small"
FIRST_WITH_METHOD_TRACING = 25  # JEP 520


@dataclasses.dataclass(frozen=True)
class Tracer:
    name: str
    keeps: str
    agent: str  # name of the agent whose library is used
    words: typing.Callable  # path of the recording -> the JVM's argument after the library


def _jfr(event, more=""):
    return lambda path: (f"-XX:StartFlightRecording:settings=none,+{event}#enabled=true,"
                         f"+{event}#filter={METHOD.replace('.', '::')}{more},filename={path}")


TRACERS = (
    Tracer(agents.NONE, "", agents.NONE, None),
    Tracer("ours, trace=", "count, exceptions, histogram, slow calls", agents.OURS,
           lambda path: f"start,trace={METHOD}:1h,file={path}"),
    Tracer("ours, trace=:count", "count, exceptions", agents.OURS,
           lambda path: f"start,trace={METHOD}:count,file={path}"),
    Tracer("ours, begin=", "windows", agents.OURS,
           lambda path: f"start,cpu=1s,begin={METHOD},file={path}"),
    Tracer("async-profiler, trace=", "slow calls", "async-profiler",
           lambda path: f"start,trace={METHOD}:1000s,jfr,file={path}"),
    Tracer("JDK, jdk.MethodTiming", "count, average, least, most", "jfr",
           _jfr("jdk.MethodTiming")),
    Tracer("JDK, jdk.MethodTrace", "slow calls", "jfr",
           _jfr("jdk.MethodTrace", ",+jdk.MethodTrace#threshold=1h")),
)


def configure(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5_000_000)
    jdks.add_argument(parser)
    results.add_out_argument(parser)


def _available(build, home):
    for tracer in TRACERS:
        if tracer.agent == "jfr" and jdks.release(home) < FIRST_WITH_METHOD_TRACING:
            continue
        agent = agents.find(build, tracer.agent, home)
        if agent:
            yield tracer, agent.library


def measure(build, home, calls, tracer, library):
    """Returns how many nanoseconds a call takes."""
    with tempfile.TemporaryDirectory() as folder:
        argument = []
        if tracer.words:
            words = tracer.words(os.path.join(folder, "out.jfr"))
            argument = [f"-agentpath:{library}={words}" if library else words]
        return processes.run([home + "/bin/java", *argument, "-cp", build.workloads, "CallCost",
                              str(calls), "8"]).values["ns.call"]


def run(arguments):
    result = results.Result("calls", arguments)
    for home in jdks.chosen(arguments):
        libraries = dict(_available(arguments.build, home))
        found = by_turns(
            list(libraries), arguments.rounds,
            lambda tracer, home=home, of=libraries: measure(
                arguments.build, home, arguments.calls, tracer, of[tracer]))
        rows = []
        for tracer in libraries:
            if tracer.name not in found:
                continue
            each = figures.Spread.of(found[tracer.name])
            added = figures.differences(found[tracer.name], found[agents.NONE])
            result.add_figure(f"calls/{jdks.name(home)}/{tracer.name}/ns", each)
            rows.append([tracer.name, tracer.keeps, results.cell(each, 1),
                         "-" if tracer.name == agents.NONE else results.cell(added, 1)])
        results.print_table(result.add_table(
            f"CPU time of a call, {jdks.name(home)}",
            ["tracer", "keeps of each method", "ns a call", "added"], rows))
    result.finish(arguments.out)
