"""The workloads of `compare`: each has a row here and a Java file in test/java/bench.

Each is compiled when it is first needed, with the jars that it uses.
"""

import dataclasses
import glob
import os
import subprocess
import sys

from benchlib import artifacts, jdks, paths

SOURCES = os.path.join(paths.JAVA_SOURCES, "bench")
# The heap is touched in advance, so that resident memory does not depend on the number of
# collections.
HEAP = ["-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"]

# The workloads are compiled for this release, or for an older JDK that runs them.
RELEASE = 17
OLD_PROJECT = "bench_jdk8"


@dataclasses.dataclass(frozen=True)
class Workload:
    java_class: str
    unit: str         # what an operation is
    operations: int   # at scale 1; 10 to 25 s of CPU time on the machine of docs/performance.md
    least_seconds: float = 0.6  # duration of a run at the smallest scale
    jars: tuple = ()  # beginnings of the names of the jars that it needs
    release: int = 17  # the first JDK on which it runs
    jvm: tuple = ()
    project: str = "bench"  # whose pom.xml has the jars


WORKLOADS = {
    "javac": Workload("Javac", "compilation of 990 files", 6, 6.0, ("commons-math3",)),
    "scalac": Workload("Scalac", "compilation of 26 files", 6, 4.0, project="bench_jdk8", release=8,
                       jars=("scala-", "java-diff-utils", "jline", "jna")),
    "sql": Workload("SqlTransactions", "transaction", 400_000, jars=("h2",), release=8),
    "http": Workload("HttpRequests", "request", 300_000),
    "lucene": Workload("LuceneIndexing", "document", 60_000, jars=("lucene",)),
    "xml": Workload("XmlTransform", "document", 10_000),
    "deep-stacks": Workload("DeepStacks", "call", 900_000),
    "virtual-threads": Workload("VirtualRequests", "request", 600_000, release=21),
    "handoff": Workload("ItemHandOff", "item", 1_500_000),
    "thread-churn": Workload("ThreadChurn", "thread", 350_000),
    "idle-threads": Workload("IdleBeside", "sort", 2_000_000, jvm=("-Xss256k",)),
    "allocation": Workload("Allocation", "map", 20_000_000),
    "class-loading": Workload("ClassLoading", "class", 250_000),
}


def _jars(build, row, jdk):
    """Returns the jars of a workload. On a JDK that is too old for the newest versions, those of
    bench_jdk8."""
    if not row.jars:
        return []
    return [jar for jar in artifacts.jars(build, row.project if jdk >= RELEASE else OLD_PROJECT)
            if os.path.basename(jar).startswith(row.jars)]


def runnable(build, home, name):
    """Returns True if the workload can run. Otherwise prints the reason."""
    row = WORKLOADS[name]
    if jdks.release(home) < row.release:
        print(f"left out: {name}: needs JDK {row.release}", file=sys.stderr)
        return False
    if row.jars and not _jars(build, row, jdks.release(home)):
        print(f"left out: {name}: {row.jars[0]} is out of Maven's reach", file=sys.stderr)
        return False
    return True


def add_argument(parser):
    """Adds the argument of a subcommand that runs some workloads. Its value is an argument of
    chosen()."""
    parser.add_argument("workload", nargs="+", metavar="WORKLOAD",
                        choices=list(WORKLOADS) + ["all"], help=", ".join(WORKLOADS) + " or all")


def chosen(build, home, names):
    """Returns the workloads of `names` that can run."""
    names = list(WORKLOADS) if "all" in names else names
    return [name for name in names if runnable(build, home, name)]


def class_path(build, name, jdk):
    """Returns the class path of a workload for a JDK, to be run as `Bench CLASS OPERATIONS`."""
    row = WORKLOADS[name]
    home = jdks.installed()[-1]
    return compiled(build, home, row.java_class, _jars(build, row, jdk), min(RELEASE, jdk))


def compiled(build, home, java_class, jars=(), release=RELEASE):
    """Returns the class path of a class of test/java/bench. Compiles it by the JDK in `home` if
    sources are newer."""
    folder = java_class if release == RELEASE else f"{java_class}-{release}"
    classes = build.path("bench/classes", folder)
    path = os.pathsep.join([classes, build.workloads, *jars])
    stamp = os.path.join(classes, "stamp")
    sources = glob.glob(os.path.join(SOURCES, "*.java"))
    newest = max(map(os.path.getmtime, sources + [build.workloads + ".stamp"]))
    if os.path.exists(stamp) and os.path.getmtime(stamp) >= newest:
        return path
    os.makedirs(classes, exist_ok=True)
    done = subprocess.run(
        [home + "/bin/javac", "--release", str(release), "-g", "-Xlint:all,-options", "-implicit:class",
         "-d", classes, "-cp", path, "-sourcepath", SOURCES,
         *(os.path.join(SOURCES, name + ".java") for name in ("Bench", "Windows", java_class))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout)
    with open(stamp, "w", encoding="ascii"):
        return path


def command(build, home, name, scale, agent_arguments):
    """Returns the command line that runs a workload."""
    operations = max(1, round(WORKLOADS[name].operations * scale))
    return _command(build, home, name, agent_arguments, "Bench") + [str(operations)]


def windows_command(build, home, name):
    """Returns the command line that runs a workload in windows, for processes.Program."""
    return _command(build, home, name, [], "Windows")


def _command(build, home, name, agent_arguments, main_class):
    row = WORKLOADS[name]
    path = class_path(build, name, jdks.release(home))
    return [home + "/bin/java", *HEAP, *row.jvm, *agent_arguments, "-cp", path, main_class,
            row.java_class]
