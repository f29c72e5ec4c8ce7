"""Runs the Google Benchmarks in test/bench (build/bin/*_bench), each five times.

Prints medians, and writes all results with the machine and the commit as JSON.
"""

import glob
import json
import os
import subprocess
import sys

from benchlib import figures, results

NANOS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def configure(parser):
    parser.add_argument("--filter", default=".",
                        help="run only benchmarks that match this regular expression")
    results.add_out_argument(parser, default="micro.json")


def run_program(binary, pattern):
    """Returns the rows of a benchmark program; [] if no benchmark matches."""
    argv = [binary, "--benchmark_format=json", "--benchmark_repetitions=5",
            "--benchmark_min_time=0.1", f"--benchmark_filter={pattern}"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0 or not done.stdout.lstrip().startswith("{"):
        if "Failed to match" in done.stdout + done.stderr:
            return []
        sys.exit(f"exit code {done.returncode} of: {' '.join(argv)}\n{done.stderr}")
    return json.loads(done.stdout)["benchmarks"]


def measure(build, pattern, result):
    binaries = sorted(glob.glob(build.program("*_bench")))
    if not binaries:
        sys.exit(f"no benchmarks in {build.path('bin')}: cmake --build --preset release")
    for binary in binaries:
        rows = run_program(binary, pattern)
        result.add_run(program=os.path.basename(binary), benchmarks=rows)
        for name in dict.fromkeys(row["run_name"] for row in rows):
            repetitions = [row for row in rows
                           if row["run_name"] == name and row.get("run_type") == "iteration"]
            nanos = figures.Spread.of([row["real_time"] * NANOS[row["time_unit"]]
                                       for row in repetitions])
            result.add_figure(f"micro/{name}/ns", nanos)
            if nanos:
                print(f"{name:60} {nanos.median:14.1f} ns ({nanos.least:.1f} to {nanos.most:.1f})",
                      flush=True)


def run(arguments):
    result = results.Result("micro", arguments)
    measure(arguments.build, arguments.filter, result)
    result.finish(arguments.out)
