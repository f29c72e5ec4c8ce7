"""What a recording adds to a hand-off between two threads, closely.

Two threads hand single items to each other, on one CPU: no spinning, no migration. In one JVM,
times without and with a recording in alternating order; prints the ratio of the CPU time per
operation (median of the pairs, each of the medians of nine windows) and the median's upper bound at
95 %. `compare handoff` has the same with other profilers, and the noise of a JVM for each.
"""

import os
import statistics
import sys
import tempfile

from benchlib import attach, figures, jdks, processes


def configure(parser):
    parser.add_argument("--rounds", type=int, default=30)
    jdks.add_argument(parser)
    parser.add_argument("--options", default="start,event=cpu,interval=10ms")


def measure(build, home, options, rounds):
    """Returns CPU per operation with / without, for each round."""
    with tempfile.TemporaryDirectory() as folder:
        program = processes.Program(
            [home + "/bin/java", "-Xmx256m", "-cp", build.workloads, "HandOff"],
            cpus={max(os.sched_getaffinity(0))})

        def tell(words):
            answer = attach.ask(program.pid, ["load", build.library, "true", words])
            if "return code: 0" not in answer:
                sys.exit(answer)

        def unprofiled():
            program.ask("200", "cpu.perOperation")
            return statistics.median(program.ask("100", "cpu.perOperation") for _ in range(9))

        def profiled():
            tell(f"{options},file={folder}/out.jfr")
            result = unprofiled()
            tell("stop")
            return result

        profiled(), unprofiled()  # Compile.
        ratios = []
        for i in range(rounds):
            values = {measured: measured()
                      for measured in figures.alternating(unprofiled, profiled, i)}
            ratios.append(values[profiled] / values[unprofiled])
        program.end()
    return ratios


def run(arguments):
    for home in jdks.chosen(arguments):
        ratios = measure(arguments.build, home, arguments.options, arguments.rounds)
        print(f"{jdks.name(home)} {arguments.options}: CPU per operation "
              f"x{statistics.median(ratios):.4f}, at most "
              f"x{figures.upper_bound_of_median(ratios):.4f} (95 %, {len(ratios)} rounds)",
              flush=True)
