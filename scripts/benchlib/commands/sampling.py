"""Compares the samples of each profiler with exact times of methods, in any workload.

Each profiler records a run of its own, in which probes of our agent measure the CPU time of the
chosen methods, as `jprof validate --event cpu` does. A share is that of the time, or of the
samples, in any of these methods. Prints for each method the exact share in the first run, and for
each profiler the difference in percentage points, and in parentheses the difference in standard
errors of as many independent samples. Samples in the probes of a method may count or not.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

from benchlib import agents, jdks, processes, results, workloads
from benchlib.rounds import by_turns

PROBES = "java.jprof.TimeProbes."
LEAST_SHARE = 0.001  # methods with a smaller share are left out


def configure(parser):
    parser.add_argument("workload", choices=list(workloads.WORKLOADS))
    parser.add_argument("methods", help="as in org.h2.command.*.*; several are joined by +")
    parser.add_argument("--scale", type=float, default=1.0, help="1: 10 to 25 s of CPU time")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser, default="ours,async-profiler,ddprof,jfr")
    agents.add_sampling_arguments(parser, interval="1ms")
    results.add_out_argument(parser)


def _jprof(build, *words):
    return subprocess.run([build.program("jprof"), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)


def exact_times(build, recording):
    """Returns {method: nanoseconds of CPU time}, "" for all methods. The time is None for methods
    of the same name and class. Methods that were left out are missing."""
    said = _jprof(build, "view", "--json", "--limit", "0", "events", "profiler.ExactTime",
                  recording)
    return last_times(json.loads(said.stdout)["rows"])


def last_times(rows):
    """Returns the times of exact_times() from events. Each chunk has the times so far."""
    last = {row["method"]: row for row in rows}
    names = [method.partition("(")[0] for method in last]
    return {name: row["cpuTime"] if names.count(name) == 1 else None
            for name, row in zip(names, last.values()) if not row["leftOut"]}


def parse_collapsed(text):
    """Returns [(frames, the outermost first; number of samples)] of collapsed stacks."""
    stacks = []
    for line in text.splitlines():
        frames, _, count = line.rpartition(" ")
        names = [re.sub(r"_\[.\]$", "", frame) for frame in frames.split(";")]
        stacks.append((names, int(count)))
    return stacks


def is_virtual(frames):
    return any(frame.startswith("jdk.internal.vm.Continuation.enter") or
               frame == "java.lang.VirtualThread.run" for frame in frames)


def samples_of(stacks, methods):
    """Returns {method: (samples, samples that are in its probes)}, "" for all methods."""
    sums = {method: [0, 0] for method in methods}
    for frames, count in stacks:
        found = set(frames) & methods
        if not found or is_virtual(frames):
            continue
        probe = next((i for i, frame in enumerate(frames) if frame.startswith(PROBES)), 0)
        own = frames[probe - 1] if probe else None
        if frames.count(own) > 1:  # the probes of an inner call are in the time of the method
            own = None
        for method in found:
            sums[method][0] += count
            sums[method][1] += count if own == method else 0
        sums[""][0] += count
        sums[""][1] += count if found == {own} else 0
    return {method: tuple(each) for method, each in sums.items()}


def deviation(share, samples, in_probes, total):
    """Returns the distance of the exact share from the shares of samples, in standard errors."""
    error = math.sqrt(max(share * (1 - share), 0.25 / total) / total)
    least, most = (samples - in_probes) / total, samples / total
    return (max(least - share, 0) - max(share - most, 0)) / error


def read_stacks(build, recording, folder):
    collapsed = os.path.join(folder, "out.collapsed")
    for event in ("cpu", "cpu-time"):
        said = _jprof(build, "convert", "--event", event, "--total", "samples", recording, collapsed)
        if said.returncode == 0:
            with open(collapsed, encoding="utf-8") as file:
                return parse_collapsed(file.read())
    raise processes.Failed(said.stderr)


def measure_once(build, home, agent, settings, arguments):
    """Returns {method: {"exact", "sampled", "deviation"}} and the number of samples as ""."""
    with tempfile.TemporaryDirectory() as folder:
        exact = os.path.join(folder, "exact.jfr")
        recording = os.path.join(folder, "out.jfr")
        ours = f"-agentpath:{build.library}=start,signal=SIGSTKFLT,exact={arguments.methods}"
        if agent.name == agents.OURS:
            recording = exact
            words = [f"{ours},cpu={settings.interval},file={exact}"]
        else:
            words = [f"{ours},cpu=1h,file={exact}", *agent.jvm_arguments(settings, recording)]
        processes.run(workloads.command(build, home, arguments.workload, arguments.scale, words))
        times = exact_times(build, exact)
        if not times.get(""):
            sys.exit(f"no time was measured in {arguments.methods}")
        sums = samples_of(read_stacks(build, recording, folder), set(times))
    total = max(1, sums[""][0])
    compared = {"": {"samples": sums[""][0]}}
    for method, nanos in times.items():
        share = (nanos or 0) / times[""]
        if method and share >= LEAST_SHARE:
            compared[method] = {"exact": share, "sampled": sums[method][0] / total,
                                "deviation": deviation(share, *sums[method], total)}
    return compared


def _cell(run, method):
    row = run.get(method)
    if row is None:
        return "-"
    return f"{100 * (row['sampled'] - row['exact']):+.2f} ({row['deviation']:+.1f})"


def _root_mean_square(run):
    squares = [row["deviation"] ** 2 for method, row in run.items() if method]
    return f"{math.sqrt(sum(squares) / max(1, len(squares))):.2f}"


def add_to(result, home, arguments, runs):
    names = list(runs)
    first = runs[names[0]]
    methods = sorted((method for method in first if method),
                     key=lambda method: -first[method]["exact"])
    rows = [[method, f"{first[method]['exact']:.1%}"] + [_cell(runs[name], method)
                                                          for name in names]
            for method in methods]
    rows.append(["all, root mean square of standard errors", ""]
                + [_root_mean_square(runs[name]) for name in names])
    rows.append(["samples", ""] + [runs[name][""]["samples"] for name in names])
    return result.add_table(
        f"Shares of methods, {arguments.workload}, {jdks.name(home)}: percentage points "
        "(standard errors)", ["method", "exact"] + names, rows)


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    if not workloads.runnable(build, home, arguments.workload):
        sys.exit(1)
    chosen = [agent for agent in agents.available(build, home, arguments)
              if agent.name != agents.NONE]
    settings = agents.settings(arguments)
    result = results.Result("sampling", arguments)
    runs = by_turns(chosen, 1,
                    lambda agent: measure_once(build, home, agent, settings, arguments))
    runs = {name: mine[0] for name, mine in runs.items() if mine}
    for name, mine in runs.items():
        result.add_run(agent=name, compared=mine)
    if runs:
        results.print_table(add_to(result, home, arguments, runs))
    result.finish(arguments.out)
