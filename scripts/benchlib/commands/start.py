"""Measures how long a start takes in a JVM in which many native threads wait."""

import os
import statistics
import tempfile

from benchlib import jdks, processes

KEYS = ("ms.start", "ms.start.cpu", "ms.second.start", "ms.second.start.cpu", "ms.stop",
        "interrupted")


def configure(parser):
    parser.add_argument("--threads", type=int, default=5000)
    jdks.add_argument(parser)
    parser.add_argument("--options", default="start,event=cpu")


def run(arguments):
    build = arguments.build
    with tempfile.TemporaryDirectory() as folder:
        command = f"{arguments.options},file={os.path.join(folder, 'out.jfr')}"
        for home in jdks.chosen(arguments):
            argv = [home + "/bin/java", "-Xmx256m", "-cp", build.workloads, "ManyThreads",
                    build.library, command, build.path("test/native"), str(arguments.threads)]
            values = [processes.run_or_exit(argv).values for _ in range(5)]
            print(jdks.name(home), end="")
            for key in KEYS:
                print(f"  {key} {statistics.median(each[key] for each in values):.1f}", end="")
            print(flush=True)
