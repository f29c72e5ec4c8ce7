"""Counts how many stacks of real programs reach the entry of their thread.

Samples javac, an SQL database and XSL transformations every millisecond of CPU time, including the
start and the end of the JVM. Prints the share of the samples of Java threads that reach the entry
of the thread, the share of samples with an unknown frame, and the most frequent ends of stacks that
do not reach an entry.
"""

import os
import subprocess
import tempfile

from benchlib import jdks, paths, processes, workloads

PROGRAMS = ("javac", "sql", "xml")
OPTIONS = "start,event=cpu,interval=1ms"
# The entries of Java threads, and of threads that the JVM starts or attaches, as a regular
# expression.
ENTRIES = "|".join((
    r".*\.(run|main)", r"java\.lang\.Thread\.exit", r"sun\.launcher\.LauncherHelper\..*",
    r"java\.lang\.(System\.initPhase[123]|Shutdown\..*)",
    r"libc\.so.*\.(__?clone3?|start_thread|_start|__libc_start.*)", r"java\._start"))


def configure(parser):
    parser.add_argument("--scale", type=float, default=0.5,
                        help="share of the work that `compare` does")
    jdks.add_argument(parser)


def measure(arguments, home, name):
    """Returns the output of StackRoots.java."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "out.jfr")
        agent = f"-agentpath:{arguments.build.library}={OPTIONS},file={recording}"
        processes.run_or_exit(
            workloads.command(arguments.build, home, name, arguments.scale, [agent]))
        return subprocess.run(
            [home + "/bin/java", os.path.join(paths.ROOT, "scripts/StackRoots.java"), recording,
             ENTRIES], stdout=subprocess.PIPE, text=True, check=True).stdout


def run(arguments):
    for home in jdks.chosen(arguments):
        for name in PROGRAMS:
            if not workloads.runnable(arguments.build, home, name):
                continue
            lines = measure(arguments, home, name)
            values = processes.parse_values(lines)
            samples = values["samples"]
            print(f"{jdks.name(home)} {name}: {samples:.0f} samples, "
                  f"{100 * values['rooted'] / samples:.3f} % rooted, "
                  f"{100 * values['unknown'] / samples:.4f} % with an unknown frame, "
                  f"{100 * values['nameless'] / samples:.2f} % in libraries without symbols",
                  flush=True)
            for line in lines.splitlines():
                if line.startswith(("end ", "unknown ")):
                    print("   ", line)
