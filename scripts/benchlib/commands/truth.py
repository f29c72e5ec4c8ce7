"""Measures how far each profiler's profile is from what a program knows about itself.

The program spends the CPU time of one thread on methods in known shares: inlined methods, native
code, an intrinsic, copying, calls with many receivers, recursion, exceptions, system calls. It
measures each of them with the thread's CPU clock. A sample counts for the innermost of these
methods on its stack.

Prints the deviation of each share in percentage points (median of the rounds). Over all shares,
prints the root mean square of the deviations, each divided by the noise that as many independent
samples would have: about 1 is as good as independent samples, and less is better. Time outside of
the methods, (none), is shown but not counted, because reading the clock also takes time before and
after the moment that it reports.
"""

import os
import statistics
import tempfile

from benchlib import agents, figures, jdks, processes, recordings, results, workloads
from benchlib.rounds import by_turns

PREFIX = "truth."
OUTSIDE = "(none)"


def configure(parser):
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0,
                        help="CPU time to spend; default: 10, which has 10 000 samples at 1 ms")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser, default="ours,async-profiler,ddprof,jfr")
    agents.add_sampling_arguments(parser, interval="1ms")
    results.add_out_argument(parser)


def shares(values):
    total = sum(values.values())
    return {name: value / total for name, value in values.items()} if total else {}


def measure_once(build, home, agent, settings, seconds):
    """Returns {"truth": shares, "measured": shares, "samples": number, "yield": ratio}."""
    path = workloads.compiled(build, home, "Truth")
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        values = processes.run(
            [home + "/bin/java", *agent.jvm_arguments(settings, recording), "-cp", path, "Truth",
             str(round(seconds * 1000))]).values
        read = recordings.read(build, recording, "cpu", **{"class": "Parts"}, thread="truth")
    parts = recordings.parts(read)
    return {
        "truth": shares({key[len(PREFIX):]: nanos for key, nanos in values.items()
                         if key.startswith(PREFIX)}),
        "measured": shares(parts),
        "samples": sum(parts.values()),
        "yield": sum(parts.values()) * settings.interval_seconds / (values["cpu.truth"] / 1e9),
    }


def measure(build, home, chosen, settings, seconds, rounds):
    """Returns {agent's name: [result of measure_once() in each round]}."""
    return by_turns(chosen, rounds,
                    lambda agent: measure_once(build, home, agent, settings, seconds))


def in_noise(run):
    if not run["samples"]:
        return None
    inside = {part: share for part, share in run["truth"].items() if part != OUTSIDE}
    return figures.deviation_in_noise(run["measured"], inside, run["samples"])


def _points(runs, part):
    return statistics.median(100 * (run["measured"].get(part, 0.0) - run["truth"][part])
                             for run in runs)


def add_to(result, home, runs):
    names = list(runs)
    first = runs[names[0]][0]
    rows = []
    for part, share in first["truth"].items():
        noise = 100 * figures.sampling_noise(share, max(1, first["samples"]))
        rows.append([part, f"{share:.1%}", f"{noise:.2f}"]
                    + [f"{_points(runs[name], part):+.2f}" for name in names])
    spreads = {name: figures.Spread.of([in_noise(run) for run in runs[name]]) for name in names}
    rows.append(["all, in units of noise", "", "1"]
                + [results.cell(spreads[name], 2) for name in names])
    for key, digits in (("samples", 0), ("yield", 3)):
        rows.append([key, "", ""] + [results.cell(
            figures.Spread.of([run[key] for run in runs[name]]), digits) for name in names])
    for name in names:
        result.add_figure(f"truth/{jdks.name(home)}/{name}/noise", spreads[name])
        result.add_figure(f"truth/{jdks.name(home)}/{name}/yield",
                          figures.Spread.of([run["yield"] for run in runs[name]]))
    return result.add_table(
        f"Deviation of shares in percentage points, {jdks.name(home)}",
        ["method", "truth", "noise"] + names, rows)


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    chosen = [agent for agent in agents.available(build, home, arguments)
              if agent.name != agents.NONE]
    result = results.Result("truth", arguments)
    runs = measure(build, home, chosen, agents.settings(arguments), arguments.seconds,
                   arguments.rounds)
    for name, mine in runs.items():
        for each in mine:
            result.add_run(agent=name, **each)
    results.print_table(add_to(result, home, runs))
    result.finish(arguments.out)
