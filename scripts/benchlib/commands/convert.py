"""Measures the conversion of a large recording: jprof convert and async-profiler's jfrconv.

The recording is synthetic (profile_bench --keep): 100 MB are 450 000 samples and 20 000 stacks of
40 frames. Each round converts it to every format by both programs in turns. Prints the medians of
the elapsed time, of the CPU time and of the peak resident memory (of the largest process, as wait4
reports it), and the size of the output. --page opens the page in headless Chromium, and prints the
time to the first paint of the graph, and the time of the longest of ten zooms, each until the frame
that shows it.
"""

import json
import os
import shutil
import subprocess
import tempfile

from benchlib import artifacts, figures, jdks, paths, processes, results

CONVERTER = "jfr_converter"
# For each format: the extension of our file; the extension and the name of the format for jfrconv.
FORMATS = {
    "html": ("html", ("html", "html")),
    "collapsed": ("collapsed", ("collapsed", "collapsed")),
    "pprof": ("pb.gz", ("pb.gz", "pprof")),
    "otlp": ("otlp", ("otlp", "otlp")),
    "firefox": ("json.gz", None),
    "flat": ("flat", None),
    "tree": ("tree", None),
}
BROWSER = os.path.join(paths.ROOT, "test/formats/browser")


def configure(parser):
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", action="store_true", help="also open the page in Chromium")
    jdks.add_newest_argument(parser)
    results.add_out_argument(parser)


def commands(build, home, recording, formats):
    """Returns {(format, program): (argv, path of the output)}."""
    classpath = ":".join(artifacts.jars(build, CONVERTER))
    found = {}
    for name in formats:
        extension, theirs = FORMATS[name]
        output = f"{recording}.ours.{extension}"
        found[name, "ours"] = ([build.program("jprof"), "convert", "--format", name, recording,
                                output], output)
        if classpath and theirs:
            output = f"{recording}.jfrconv.{theirs[0]}"
            found[name, "jfrconv"] = ([home + "/bin/java", "-cp", classpath, "one.convert.Main",
                                       "-o", theirs[1], recording, output], output)
    return found


def add_to(result, megabytes, runs):
    rows = []
    for (name, who), (done, output) in runs.items():
        row = [name, who]
        for field, scale, digits in (("milliseconds", 1e-3, 2), ("cpu_seconds", 1, 2),
                                     ("resident_mb", 1, 0)):
            spread = figures.Spread.of([getattr(each, field) * scale for each in done])
            result.add_figure(f"convert/{megabytes}/{name}/{who}/{field}", spread)
            row.append(results.cell(spread, digits))
        rows.append(row + [f"{os.path.getsize(output) / 1e6:.1f}"])
    return result.add_table(
        f"A recording of {megabytes} MB to other formats",
        ["format", "by", "seconds", "CPU seconds", "peak MB", "output MB"], rows)


def page_times(build, page):
    """Returns {step: milliseconds}, or a text with the reason why it cannot be measured."""
    chromium = os.environ.get("JPROF_CHROMIUM") or shutil.which("chromium")
    if not chromium or not shutil.which("npm"):
        return "no Chromium or npm (scripts/bootstrap --clients)"
    folder = build.path("bench", "browser")
    os.makedirs(folder, exist_ok=True)
    for name in ("package.json", "page_times.mjs"):
        shutil.copy(os.path.join(BROWSER, name), folder)
    if not os.path.isdir(os.path.join(folder, "node_modules")):
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"],
                       cwd=folder, check=False, stdout=subprocess.DEVNULL)
    done = subprocess.run(["node", "page_times.mjs", page], cwd=folder, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "CHROMIUM": chromium})
    if done.returncode != 0:
        return (done.stderr.strip() or "node failed").splitlines()[-1]
    return json.loads(done.stdout)


def show_page(build, page, megabytes, result, rounds):
    runs = []
    for _ in range(rounds):
        times = page_times(build, page)
        if isinstance(times, str):
            print(f"the page was not opened: {times}")
            return
        runs.append(times)
    rows = []
    for step in runs[0]:
        spread = figures.Spread.of([each[step] for each in runs])
        result.add_figure(f"convert/{megabytes}/page/{step}", spread)
        rows.append([step, results.cell(spread, 0)])
    results.print_table(result.add_table(f"The page of {megabytes} MB in Chromium",
                                         ["step", "ms"], rows))


def run(arguments):
    build, home = arguments.build, jdks.newest(arguments)
    result = results.Result("convert", arguments)
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in arguments.megabytes:
            recording = os.path.join(folder, f"{megabytes}.jfr")
            processes.run_or_exit([build.program("profile_bench"), f"--keep={recording}",
                                   f"--megabytes={megabytes}", "--benchmark_filter=^none$"])
            found = commands(build, home, recording, arguments.formats)
            runs = {key: ([], output) for key, (_, output) in found.items()}
            for _ in range(arguments.rounds):
                for key, (argv, _) in found.items():
                    runs[key][0].append(processes.run_or_exit(argv))
            results.print_table(add_to(result, megabytes, runs))
            if arguments.page and ("html", "ours") in found:
                show_page(build, found["html", "ours"][1], megabytes, result, arguments.rounds)
    result.finish(arguments.out)
