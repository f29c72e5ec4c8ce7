"""Measures what a recording of elapsed time costs for threads that wait.

2000 threads wait while one thread works. Prints the CPU time that the recording adds to the
process, without the working thread, per waiting thread and interval.
"""

import os
import tempfile

from benchlib import figures, jdks, processes

SETTLE_MILLIS = 4000
MEASURE_MILLIS = 10000


def configure(parser):
    parser.add_argument("--rounds", type=int, default=3)
    jdks.add_argument(parser)
    parser.add_argument("--threads", type=int, default=2000)


def measure(build, home, options, threads):
    """Returns (CPU seconds of all threads except the working one, elapsed seconds)."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        agent = [f"-agentpath:{build.library}={options},file={recording}"] if options else []
        values = processes.run_or_exit(
            [home + "/bin/java", "-Xmx512m", "-Xss256k", *agent, "-cp", build.workloads,
             "IdleThreads", str(threads), str(SETTLE_MILLIS), str(MEASURE_MILLIS)]).values
    return values["cpu.others"] / 1e9, values["wall.measured"] / 1e9


def run(arguments):
    for home in jdks.chosen(arguments):
        for interval_ms in (10, 1):
            extra = []
            recorded = f"start,wall={interval_ms}ms"
            for i in range(arguments.rounds):
                cpu = {}
                for options in figures.alternating(None, recorded, i):
                    cpu[options], seconds = measure(
                        arguments.build, home, options, arguments.threads)
                intervals = seconds * 1000 / interval_ms * arguments.threads
                extra.append((cpu[recorded] - cpu[None]) * 1e6 / intervals)
            print(f"{jdks.name(home)} wall={interval_ms}ms, {arguments.threads} threads: "
                  f"{figures.Spread.of(extra).text(4)} us for each thread and interval", flush=True)
