"""Measures how many bytes of the file a sample takes.

Each profiler records javac every 10 ms of CPU time, while it compiles many copies of the sources of
our tests. Prints the sizes that `jfr summary` reports.
"""

import glob
import os
import subprocess
import tempfile

from benchlib import agents, jdks, paths, processes

SAMPLES = ("jdk.ExecutionSample", "jdk.CPUTimeSample", "datadog.ExecutionSample")


def configure(parser):
    jdks.add_newest_argument(parser)
    agents.add_arguments(parser, default="ours,async-profiler")
    parser.add_argument("--copies", type=int, default=200)


def copy_sources(folder, copies):
    """Writes copies of the Java sources of the tests, each copy in its own package. Returns the
    path of a file that lists them."""
    names = glob.glob(os.path.join(paths.JAVA_SOURCES, "workloads/*.java"))
    listed = os.path.join(folder, "sources")
    with open(listed, "w", encoding="utf-8") as sources:
        for copy in range(copies):
            package = os.path.join(folder, "src", f"copy{copy}")
            os.makedirs(package)
            for name in names:
                path = os.path.join(package, os.path.basename(name))
                with open(name, encoding="utf-8") as source, \
                        open(path, "w", encoding="utf-8") as target:
                    target.write(f"package copy{copy};\n{source.read()}")
                sources.write(path + "\n")
    return listed


def summarise(home, recording):
    """Returns ({event type: (count, bytes)}, number of chunks)."""
    text = subprocess.run([home + "/bin/jfr", "summary", recording], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    types, chunks = {}, 0
    for line in text.splitlines():
        words = line.split()
        if line.strip().startswith("Chunks:"):
            chunks = int(words[1])
        elif len(words) == 3 and "." in words[0] and words[1].isdigit():
            types[words[0]] = (int(words[1]), int(words[2]))
    return types, chunks


def print_size(name, home, recording):
    types, chunks = summarise(home, recording)
    count, event_bytes = max(types.get(event, (0, 0)) for event in SAMPLES)
    total = os.path.getsize(recording)
    metadata = types["jdk.Metadata"][1] / chunks
    constants = types["jdk.CheckPoint" if "jdk.CheckPoint" in types else "jdk.Checkpoint"][1]
    print(f"{name:16} {total:9} {chunks:6} {count:8} {total / count:12.1f} "
          f"{event_bytes / count:12.1f} {constants / count:16.1f} {metadata:14.0f}", flush=True)


def run(arguments):
    home = jdks.newest(arguments)
    chosen = agents.available(arguments.build, home, arguments)
    print(f"{'':16} {'bytes':>9} {'chunks':>6} {'samples':>8} {'bytes/sample':>12} "
          f"{'sample event':>12} {'constants/sample':>16} {'metadata/chunk':>14}")
    with tempfile.TemporaryDirectory() as folder:
        sources = copy_sources(folder, arguments.copies)
        for agent in chosen:
            recording = os.path.join(folder, agent.name + ".jfr")
            processes.run_or_exit(
                [home + "/bin/java", *agent.jvm_arguments(agents.settings(arguments), recording),
                 "-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", folder, "@" + sources])
            print_size(agent.name, home, recording)
