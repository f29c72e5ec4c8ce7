"""Runs a program without the profiler, with it from the launch on, and with recordings that
start late. Checks the recordings."""

import dataclasses
import math
import os
import subprocess
import time

from benchlib import figures
from strangerlib import jvms, recordings, table

INTERVAL_SECONDS = 0.01  # CPU time between samples
ENGINES = ("cpu=10ms", "wall=50ms", "alloc", "live", "lock=10ms", "nativelock=10ms", "context=1", "spans=1")
OPERATION = "operation"  # the method of a driver that the load calls
SLOW = "5ms"  # calls that take at least this long are recorded one by one
CPU_LIMITS = (0.98, 1.02)
# The greatest ratio of the CPU time at the end of the recording to that at the program's end.
MOST_OF_CLOCK = 1.1
ALLOCATION_LIMITS = (0.99, 1.01)
LEAST_ALLOCATED = 100e6
# The most that all starts and stops together may leave, by kind. The first start, which loads the
# library, does not count. The limits leave room for the program, which itself starts threads and
# opens sockets under load. The JVM makes new versions of probed classes. When it collects, it frees
# old versions, and keeps their memory for others: metaspace grows during the first hundred starts
# (H2 on JDK 25: by 4.7 MB), and no further.
MOST_LEFT = {"threads": 3, "descriptors": 8, "metaspace": 6 << 20}
# The greatest ratio to what an agent leaves that retransforms as often but changes nothing. Even
# then the JVM never frees some old versions of classes: those with native methods
# (VM_RedefineClasses, seen on JDK 17 to 25), and what it has linked for lambdas.
MOST_OF_RETRANSFORMED = 1.5
STARTS_PER_COLLECTION = 10
# The time that a start with its stop takes. The program's own growth is measured for as long before
# the starts.
SECONDS_OF_START = 0.6
# Before JDK 21, the allocations of a thread are read every 10 ms. This is the most bytes that a
# thread allocates which ends before they are first read.
MOST_OF_UNSEEN = 10e6
WARM_UP_SECONDS = 4
ANSWER_SECONDS = 60
RECORDED_SECONDS = 0.1  # time between a start and its stop
PATIENCE_OF_START = 10  # seconds for a start and stop; after them the program counts as hanging


@dataclasses.dataclass(frozen=True)
class Settings:
    build: object    # a benchlib.paths.Build
    library: str     # path of the library in the file system that the JVMs see
    seconds: float   # length of the load
    rounds: int
    starts: int

    @property
    def jprof(self):
        return self.build.program("jprof")


@dataclasses.dataclass
class Outcome:
    """The results of a program on a JDK. Figures that could not be measured are missing in its
    lists."""

    program: str
    jdk: int
    beside: str
    faults: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)         # samples / clock, one per round
    own: list = dataclasses.field(default_factory=list)         # the profiler's threads / clock
    allocated: list = dataclasses.field(default_factory=list)   # samples / counter, one per round
    probes: list = dataclasses.field(default_factory=list)      # the profiler's probes / counter
    megabytes: float = 0
    samples: int = 0
    broken: int = 0
    nameless: int = 0
    lost: set = dataclasses.field(default_factory=set)
    plain_p99: list = dataclasses.field(default_factory=list)   # milliseconds, one per round
    p99: list = dataclasses.field(default_factory=list)
    starts: int = 0
    counts: tuple = ()  # (threads, descriptors, metaspace) before and after the late starts

    def complain(self, line):
        if line not in self.faults:
            self.faults.append(line)


def _jvm(program, jdk, beside, kind, seconds, profiler=(), patience=0):
    """Starts a program in a folder of its own, and returns its Jvm."""
    names = [program.name, str(jdk), *([] if beside == table.ALONE else [beside.name]), kind]
    folder = jvms.fresh_folder("-".join(names))
    options = [*beside.front, *(each.replace("{folder}", folder) for each in profiler), *beside.behind]
    return jvms.Jvm(program, jdk, folder, seconds, options, patience, beside.environment)


def plain(program, jdk, beside, settings):
    """Returns the key=value lines of a run without the profiler."""
    jvm = _jvm(program, jdk, beside, "plain", settings.seconds)
    try:
        return jvm.finish()
    finally:
        jvm.kill()


def _traced(program):
    return f"{program.driver}.{OPERATION}:{SLOW}+{program.traced}:{SLOW}"


def recorded(program, jdk, beside, settings):
    """Returns (key=value lines, path of the recording) of a run with all engines from the launch
    on."""
    engines = ",".join(each for each in ENGINES if each not in beside.left_out)
    words = f"start,{engines},trace={_traced(program)},file={{folder}}/all.jfr,log={{folder}}/log"
    jvm = _jvm(program, jdk, beside, "recorded", settings.seconds,
               [f"-agentpath:{settings.library}={words}"])
    file = os.path.join(jvm.folder, "all.jfr")
    try:
        values = jvm.finish()
    finally:
        jvm.kill()
    if not os.path.exists(file):
        with open(os.path.join(jvm.folder, "log"), encoding="utf-8", errors="replace") as log:
            raise recordings.Unreadable(f"no recording: {log.read().strip().splitlines()[-1:]}")
    return values, file


def _check_ratio(outcome, name, samples, own, limits, error):
    """Complains unless the share of the samples and the share that the profiler itself used,
    which has no samples, are together within the limits. Adds a note if the share of the samples
    alone is not."""
    ratio = samples + own
    text = f"{name} {samples:.4f} by samples and {own:.4f} of the profiler's own"
    bounds = (f"{limits[0]} to {limits[1]}" + (f", ± {4 * error:.4f}" if error else ""))
    if not limits[0] - 4 * error <= ratio <= limits[1] + 4 * error:
        outcome.complain(f"{text}: the sum is not in {bounds}")
    elif not limits[0] - 4 * error <= samples <= limits[1] + 4 * error:
        outcome.notes.append(f"{text}: the samples alone are not in {bounds}")


def _check_calls(outcome, program, values, file, settings):
    """Compares the counts of `trace` with the counts of the load."""
    counted = recordings.calls(settings.jprof, file)
    truth = program.operations + int(values["operations"])
    calls = counted.get(f"{program.driver}.{OPERATION}", 0)
    if calls != truth:
        outcome.complain(f"{calls} calls of {OPERATION} are counted, {truth} were made")
    if not counted.get(program.traced):
        outcome.complain(f"no calls of {program.traced} are counted")


def judge(outcome, program, values, file, settings):
    """Compares a recording with the counts of the JVM."""
    sums = recordings.sums(settings.jprof, file)
    # The program itself reads this clock earlier, before the profiler writes its last chunk.
    clock = recordings.cpu_nanos(settings.jprof, file)
    if not clock <= values["end.cpu.nanos"] * MOST_OF_CLOCK:
        outcome.complain(f"the CPU clock of the recording says {clock / 1e9:.2f} s, that of the "
                         f"program {values['end.cpu.nanos'] / 1e9:.2f} s")
    # The time of each native thread is known to within one interval, so that the error of the sum
    # grows with the square root of the number of threads. There is a ThreadTime event for each
    # thread and chunk.
    threads = min(len(recordings.view(settings.jprof, *view, file))
                  for view in (("threads", "--event", "cpu"), ("events", "profiler.ThreadTime")))
    error = math.sqrt(threads / 6) * INTERVAL_SECONDS * 1e9 / clock
    # The view counts samples of cpu. Each stands for one interval.
    outcome.cpu.append(sums.get("cpu", 0) * INTERVAL_SECONDS * 1e9 / clock)
    outcome.own.append(recordings.own_nanos(settings.jprof, file) / clock)
    _check_ratio(outcome, "CPU", outcome.cpu[-1], outcome.own[-1], CPU_LIMITS, error)
    allocated = values["end.allocated.bytes"]
    unseen = values["threads.unseen"] * MOST_OF_UNSEEN
    if allocated >= LEAST_ALLOCATED and unseen <= allocated / 200:
        outcome.megabytes = allocated / 1e6
        outcome.allocated.append(sums.get("alloc", 0) / allocated)
        outcome.probes.append(recordings.probes_bytes(settings.jprof, file) / allocated)
        _check_ratio(outcome, "allocation", outcome.allocated[-1], outcome.probes[-1],
                     ALLOCATION_LIMITS, 0)
    stacks = recordings.Stacks(settings.jprof, file)
    for line in stacks.complaints():
        outcome.complain(line)
    outcome.samples += stacks.total()
    outcome.broken += stacks.count(recordings.BROKEN)
    outcome.nameless += stacks.count(recordings.NAMELESS)
    outcome.lost.update(stacks.lost)
    _check_calls(outcome, program, values, file, settings)
    for event in ("cpu", "wall", "alloc"):
        if not sums.get(event):
            outcome.complain(f"no samples of {event}")


def rounds(outcome, program, beside, settings):
    """Runs the program without and with the profiler in turns. Returns its result."""
    result = None
    for number in range(settings.rounds):
        for kind in figures.alternating(plain, recorded, number):
            values = kind(program, outcome.jdk, beside, settings)
            if kind is recorded:
                values, file = values
                judge(outcome, program, values, file, settings)
            latencies = outcome.plain_p99 if kind is plain else outcome.p99
            latencies.append(values.get("p99.nanos", math.nan) / 1e6)
            if result is None:
                result = values["result"]
            if values["result"] != result:
                outcome.complain(f"{kind.__name__}: result {values['result']}, not {result}")
    return result


def _ask(outcome, settings, *words):
    """Runs a command of jprof. Returns True if it succeeds."""
    try:
        done = subprocess.run([settings.jprof, *words], timeout=ANSWER_SECONDS, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        outcome.complain(f"jprof {words[0]}: no answer in {ANSWER_SECONDS} s")
        return False
    if done.returncode != 0:
        outcome.complain(f"jprof {words[0]}: {done.stdout.strip().splitlines()[-1:]}")
    return done.returncode == 0


def _start_and_stop(outcome, program, beside, pid, file, settings):
    """Starts and stops a recording. Returns True if both succeed."""
    library = ("--library", settings.library)
    switches = [f"--{name}" for name in ("live", "context", "spans") if name not in beside.left_out]
    if not _ask(outcome, settings, "start", "-e", "cpu,wall,alloc,lock,nativelock", *switches,
                "--trace", _traced(program), *library, "-o", file, str(pid)):
        return False
    time.sleep(RECORDED_SECONDS)
    return _ask(outcome, settings, "stop", *library, str(pid))


def kept_by_jvm(program, jdk, beside, starts):
    """Returns the bytes of metaspace that the JVM keeps if an agent that changes nothing
    retransforms the traced classes as often as `starts` starts and stops do."""
    jvm = _jvm(program, jdk, beside, "retransformed", 0, [table.retransforming_agent()],
               patience=starts * PATIENCE_OF_START)
    classes = sorted({program.driver, program.traced.rsplit(".", 1)[0]})
    try:
        jvm.read("ready")
        time.sleep(WARM_UP_SECONDS)
        jvm.retransform(classes, 2)
        before = jvm.counts()
        for done in range(0, starts, STARTS_PER_COLLECTION):
            jvm.retransform(classes, 2 * min(STARTS_PER_COLLECTION, starts - done))
            after = jvm.counts()
        jvm.end()
        jvm.finish()
    finally:
        jvm.kill()
    return max(0, after[-1] - before[-1])


def _check_counts(outcome, program, beside, before, after, drift):
    for kind, was, now, own in zip(MOST_LEFT, before, after, drift):
        if now - was <= MOST_LEFT[kind] + own:
            continue
        text = (f"{kind} {was} before and {now} after {outcome.starts} starts, "
                f"{own} more in as long without them")
        if kind != "metaspace":
            outcome.complain(text)
            continue
        kept = kept_by_jvm(program, outcome.jdk, beside, outcome.starts)
        text += f", {kept} more with an agent that retransforms the traced classes as often"
        if now - was <= MOST_LEFT[kind] + own + MOST_OF_RETRANSFORMED * kept:
            outcome.notes.append(text)
        else:
            outcome.complain(text)


def late(outcome, program, beside, settings, result):
    """Starts and stops recordings in a program under load."""
    jvm = _jvm(program, outcome.jdk, beside, "late", 0,
               patience=settings.starts * PATIENCE_OF_START)
    file = os.path.join(jvm.folder, "late.jfr")
    try:
        jvm.read("ready")
        time.sleep(WARM_UP_SECONDS)
        first = jvm.counts()
        time.sleep(settings.starts * SECONDS_OF_START)
        drift = [max(0, later - sooner) for sooner, later in zip(first, jvm.counts())]
        is_done = _start_and_stop(outcome, program, beside, jvm.pid, file, settings)
        before = jvm.counts()
        while is_done and outcome.starts < settings.starts:
            is_done = _start_and_stop(outcome, program, beside, jvm.pid, file, settings)
            outcome.starts += is_done
            if outcome.starts % STARTS_PER_COLLECTION == 0:
                jvm.counts()
        after = jvm.counts()
        jvm.end()
        values = jvm.finish()
    finally:
        jvm.kill()
    outcome.counts = (tuple(before), tuple(after))
    _check_counts(outcome, program, beside, before, after, drift)
    if result is not None and values["result"] != result:
        outcome.complain(f"late: result {values['result']}, not {result}")
    if is_done and not recordings.sums(settings.jprof, file).get("cpu"):
        outcome.complain("late: the last recording has no samples of cpu")


def trial(program, jdk, beside, settings):
    """Returns the Outcome of a program on a JDK, with other software or alone."""
    outcome = Outcome(program.name, jdk, beside.name)
    result = None
    for part in (lambda: rounds(outcome, program, beside, settings),
                 lambda: late(outcome, program, beside, settings, result)):
        try:
            result = part() or result
        except (jvms.Failed, recordings.Unreadable) as failure:
            outcome.complain(str(failure))
    return outcome
