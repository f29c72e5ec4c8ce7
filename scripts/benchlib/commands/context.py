"""Measures calls of jprof.ThreadContext with JMH: nanoseconds and bytes per call.

Maven fetches JMH once (test/java/jmh). The JVM has an agent that records cpu and contexts. The
calls are made on platform threads and, from JDK 21 on, also on virtual threads. A figure is the
median of the iterations of all forks.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

from benchlib import artifacts, figures, jdks, paths, results

PROJECT = "jmh"
FIRST_WITH_VIRTUAL_THREADS = 21
HASTE = ("-f", "1", "-wi", "2", "-w", "200ms", "-i", "3", "-r", "100ms")
CARE = ("-f", "3", "-wi", "5", "-w", "500ms", "-i", "10", "-r", "300ms")

# For each call: its name, the method of its benchmark, and the parameters as arguments of JMH.
CALLS = (
    ("put(span, root)", "ContextCalls.put", ("active=true", "tags=0")),
    ("put(span, root), 2 tags of 20 bytes", "ContextCalls.put", ("active=true", "tags=2")),
    ("put(trace, span, flags)", "ContextCalls.putTrace", ("active=true", "tags=0")),
    ("put(trace, span, flags, root)", "ContextCalls.putTraceAndRoot", ("active=true", "tags=0")),
    ("putTag", "ContextCalls.putTag", ("active=true", "tags=2")),
    ("clear()", "ContextCalls.clear", ("active=true", "tags=0")),
    ("clear(), thread without context", "BareCalls.clear", ("active=true",)),
    ("open(span, root), close", "ContextCalls.openAndClose", ("active=true", "tags=0")),
    ("put(span, root) without agent", "ContextCalls.put", ("active=false", "tags=0")),
)


def configure(parser):
    jdks.add_argument(parser)
    parser.add_argument("--matrix", action="append", metavar="RELEASE", default=[],
                        help="in addition, a JDK of scripts/jdk-matrix, such as 8; may be "
                             "repeated; needs root")
    parser.add_argument("--haste", action="store_true",
                        help="take only some seconds for each JDK; inexact")
    results.add_out_argument(parser)


def compiled(build):
    """Compiles the benchmarks, and returns their class path."""
    jars = artifacts.jars(build, PROJECT)
    if not jars:
        sys.exit("JMH cannot be had from Maven Central: is mvn there, and the network?")
    classes = build.path("bench", PROJECT + "-classes")
    os.makedirs(classes, exist_ok=True)
    class_path = ":".join([*jars, build.path("lib", "jprof.jar")])
    sources = glob.glob(os.path.join(paths.JAVA_SOURCES, PROJECT, "*", "*.java"))
    subprocess.run(["javac", "--release", "8", "-Xlint:-options", "-cp", class_path,
                    "-processorpath", class_path, "-d", classes, *sources], check=True)
    return class_path + ":" + classes


def java_of(arguments):
    """Returns [(release, the words of the command that runs its java)]."""
    chosen = [(jdks.release(home), [home + "/bin/java"]) for home in jdks.chosen(arguments)]
    matrix = os.path.join(paths.ROOT, "scripts/jdk-matrix")
    chosen += [(int(release), [matrix, "java", release]) for release in arguments.matrix]
    return sorted(chosen)


def read(text):
    """Returns the Spreads of nanoseconds and of bytes of the only benchmark in JMH's JSON."""
    (benchmark,) = json.loads(text)
    times = [time for fork in benchmark["primaryMetric"]["rawData"] for time in fork]
    allocated = benchmark["secondaryMetrics"]["gc.alloc.rate.norm"]["rawData"]
    return (figures.Spread.of(times),
            figures.Spread.of([each for fork in allocated for each in fork]))


def measure(build, class_path, java, call, is_virtual, haste):
    _, method, parameters = call
    # In the build folder, because JVMs of scripts/jdk-matrix see the checkout but not /tmp.
    with tempfile.TemporaryDirectory(dir=build.folder) as folder:
        out = os.path.join(folder, "result.json")
        agent = f"-agentpath:{build.library}=start,cpu,context,file={folder}/%p.jfr"
        jvm = [] if "active=false" in parameters else [agent]
        jvm += ["-Djmh.executor=VIRTUAL"] if is_virtual else []
        argv = [*java, "-cp", class_path, "org.openjdk.jmh.Main",
                f"contexts.{method}$", *(HASTE if haste else CARE), "-prof", "gc",
                "-foe", "true", "-rf", "json", "-rff", out, "-jvmArgs", " ".join(jvm)]
        for parameter in parameters:
            argv += ["-p", parameter]
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0 or not os.path.exists(out):
            sys.exit(f"exit code {done.returncode} of: {' '.join(argv)}\n{done.stdout}")
        with open(out, encoding="utf-8") as file:
            return read(file.read())


def run(arguments):
    class_path = compiled(arguments.build)
    sides = [(release, java, is_virtual) for release, java in java_of(arguments)
             for is_virtual in (False, True)
             if not is_virtual or release >= FIRST_WITH_VIRTUAL_THREADS]
    result = results.Result("context", arguments)
    names = [f"JDK {release}{', virtual' if is_virtual else ''}"
             for release, _, is_virtual in sides]
    rows = []
    for call in CALLS:
        row = [call[0]]
        for (_, java, is_virtual), name in zip(sides, names):
            nanos, allocated = measure(arguments.build, class_path, java, call, is_virtual,
                                       arguments.haste)
            result.add_figure(f"context/{name}/{call[0]}/ns", nanos)
            result.add_figure(f"context/{name}/{call[0]}/bytes", allocated)
            row.append(f"{nanos.median:.1f} ns, {abs(allocated.median):.0f} B")
        rows.append(row)
        print(*row, sep=" | ", flush=True)
    results.print_table(result.add_table("Calls of jprof.ThreadContext", ["call", *names], rows))
    result.finish(arguments.out)
