"""Measures calls of jprof.ThreadContext with JMH: nanoseconds and bytes per call.

Maven fetches JMH once (test/java/jmh). The JVM has an agent that records cpu and contexts. The
calls are made on platform threads and, from JDK 21 on, also on virtual threads. A figure is the
median of the iterations of all forks. A second table has percentiles of single calls, and of single
reads of the context in a signal handler (build/bin/context_bench). They include the time of the
clock, which the rows without a call or without a context show.
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

# The calls whose single times are measured.
SINGLE_CALLS = (
    ("no call", "ContextCalls.nothing", ("active=true", "tags=0")),
    *CALLS[:2],
)
PERCENTILES = ("50.0", "99.0", "99.9")
# The reads in a handler: their names, and their benchmarks in context_bench.
READS = (
    ("no context", "SingleReads/-1/iterations:1000000"),
    ("read", "SingleReads/0/iterations:1000000"),
    ("read, 40 bytes of tags", "SingleReads/40/iterations:1000000"),
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


def read_percentiles(text):
    """Returns the percentiles of single calls, in nanoseconds, from JMH's JSON."""
    (benchmark,) = json.loads(text)
    return [benchmark["primaryMetric"]["scorePercentiles"][name] for name in PERCENTILES]


def measure(build, class_path, java, call, is_virtual, haste, mode=(), reader=read):
    _, method, parameters = call
    # In the build folder, because JVMs of scripts/jdk-matrix see the checkout but not /tmp.
    with tempfile.TemporaryDirectory(dir=build.folder) as folder:
        out = os.path.join(folder, "result.json")
        agent = f"-agentpath:{build.library}=start,cpu,context,file={folder}/%p.jfr"
        jvm = [] if "active=false" in parameters else [agent]
        jvm += ["-Djmh.executor=VIRTUAL"] if is_virtual else []
        argv = [*java, "-cp", class_path, "org.openjdk.jmh.Main",
                f"contexts.{method}$", *(HASTE if haste else CARE), "-prof", "gc", *mode,
                "-foe", "true", "-rf", "json", "-rff", out, "-jvmArgs", " ".join(jvm)]
        for parameter in parameters:
            argv += ["-p", parameter]
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0 or not os.path.exists(out):
            sys.exit(f"exit code {done.returncode} of: {' '.join(argv)}\n{done.stdout}")
        with open(out, encoding="utf-8") as file:
            return reader(file.read())


def measure_reads(build):
    """Returns the percentiles of single reads of a context in a handler, by the benchmark."""
    done = subprocess.run([build.path("bin", "context_bench"), "--benchmark_filter=SingleReads",
                           "--benchmark_format=json"], stdout=subprocess.PIPE, check=True)
    return {each["name"]: [each[name] for name in ("p50", "p99", "p99.9")]
            for each in json.loads(done.stdout)["benchmarks"]}


def add_percentiles(result, arguments, class_path, sides, names):
    rows = []

    def add(name, percentiles):
        for share, nanos in zip(PERCENTILES, percentiles):
            result.add_figure(f"context/{name}/p{share}", figures.Spread.of([nanos]))
        rows.append([name, *(f"{nanos:.0f} ns" for nanos in percentiles)])
        print(*rows[-1], sep=" | ", flush=True)

    for (_, java, is_virtual), side in zip(sides, names):
        for call in SINGLE_CALLS:
            add(f"{side}, {call[0]}",
                measure(arguments.build, class_path, java, call, is_virtual, arguments.haste,
                        ("-bm", "sample"), read_percentiles))
    reads = measure_reads(arguments.build)
    for name, benchmark in READS:
        add(f"handler, {name}", reads[benchmark])
    return result.add_table("Single calls and reads", ["call", "p50", "p99", "p99.9"], rows)


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
    results.print_table(add_percentiles(result, arguments, class_path, sides, names))
    result.finish(arguments.out)
