"""Compares runs of many threads with a profiler to runs without it, in several scenarios.

  baseline    1 to 64 threads that work; an operation is a unit of work with one of many stacks
  churn       short-lived threads in batches of 10 and 50; an operation is a thread
  exhaustion  500 to 4000 threads at the same time, in waves; an operation is a thread
  quick       some steps of each of these scenarios

Prints the operations per second and the CPU time per operation without a profiler and, for each
profiler, the ratios to these in the same round, with the least and the most.
"""

import os
import tempfile

from benchlib import agents, figures, jdks, processes, results, workloads
from benchlib.rounds import by_turns

# The steps of each scenario: (pattern, threads, amount), which are arguments of
# test/java/bench/Throughput.java.
SCENARIOS = {
    "quick": (("stable", 1, 2000), ("stable", 8, 2000), ("batches", 10, 500), ("waves", 500, 10)),
    "baseline": tuple(("stable", threads, 5000) for threads in (1, 2, 4, 8, 16, 32, 64)),
    "churn": (("batches", 10, 2000), ("batches", 50, 400)),
    "exhaustion": tuple(("waves", threads, 40_000 // threads)
                        for threads in (500, 1000, 2000, 4000)),
}


def configure(parser):
    parser.add_argument("scenario", nargs="+", choices=list(SCENARIOS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0,
                        help="of the amount of work, for quick looks; default: 1")
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser, default=f"{agents.NONE},{agents.OURS}")
    agents.add_sampling_arguments(parser)
    results.add_out_argument(parser)


def measure_once(build, home, agent, settings, step, scale):
    """Returns (operations per second, CPU nanoseconds of the process per operation)."""
    pattern, threads, amount = step
    path = workloads.compiled(build, home, "Throughput")
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        values = processes.run(
            [home + "/bin/java", *workloads.HEAP, *agent.jvm_arguments(settings, recording), "-cp",
             path, "Throughput", pattern, str(threads), str(max(1, round(amount * scale)))]).values
    return (values["operations"] / values["wall.nanos"] * 1e9,
            values["cpu.nanos"] / values["operations"])


def measure(build, home, chosen, settings, step, scale, rounds):
    """Returns {agent's name: [result of measure_once() in each round]}."""
    return by_turns(chosen, rounds,
                    lambda agent: measure_once(build, home, agent, settings, step, scale))


# For each figure: its index in the result of measure_once(), its name, and its text without a
# profiler.
FIGURES = ((0, "rate", lambda value: f"{value:.0f}/s"),
           (1, "cpu.perOperation", lambda value: f"{value / 1e3:.1f} us"))


def row(result, home, step, names, runs):
    pattern, threads, _ = step
    alone = runs.get(agents.NONE)
    cells = [f"{pattern}, {threads} threads"]
    for name in names:
        for place, figure, text in FIGURES:
            values = [each[place] for each in runs.get(name, [])]
            if not values:
                cells.append("-")
                continue
            if name == agents.NONE or not alone:
                cells.append(text(figures.Spread.of(values).median))
                continue
            ratio = figures.ratios(values, [each[place] for each in alone])
            result.add_figure(
                f"throughput/{jdks.name(home)}/{pattern}-{threads}/{name}/{figure}", ratio)
            cells.append("x" + ratio.text(3))
    return cells


def run_scenario(build, home, chosen, settings, scenario, scale, rounds, result):
    rows = []
    for step in SCENARIOS[scenario]:
        runs = measure(build, home, chosen, settings, step, scale, rounds)
        result.add_run(scenario=scenario, step=step, runs=runs)
        rows.append(row(result, home, step, [agent.name for agent in chosen], runs))
    columns = [f"{agent.name}, {figure}" for agent in chosen for figure in ("rate", "CPU/op")]
    return result.add_table(f"Throughput, {scenario}, {jdks.name(home)}", ["threads"] + columns,
                            rows)


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    chosen = agents.available(build, home, arguments)
    result = results.Result("throughput", arguments)
    for scenario in arguments.scenario:
        results.print_table(run_scenario(build, home, chosen, agents.settings(arguments), scenario,
                                         arguments.scale, arguments.rounds, result))
    result.finish(arguments.out)
