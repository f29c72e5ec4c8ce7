"""The profilers that are measured in turns, and the options with which each records.

All of them record to a JFR file. If this machine cannot get a profiler, or a JVM of the measured
release fails with it, it is named and left out.
"""

import dataclasses
import os
import platform
import re
import sys
import tempfile
import typing

from benchlib import artifacts, jdks, processes

NONE = "none"
ALLOCATIONS = "alloc"
OURS = "ours"
BEFORE = "before"
JFR_NAME = "bench"  # name of a Flight Recorder recording that is started by attach
ARCHITECTURE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "unknown")


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a recording. If `options` is given, our agent gets only these options."""

    event: str = "cpu"  # cpu, wall, both as "cpu,wall", or alloc
    interval: str = "10ms"  # for alloc, in bytes
    options: typing.Optional[str] = None

    @property
    def events(self):
        return self.event.split(",")

    @property
    def interval_seconds(self):
        number, unit = re.fullmatch(r"(\d+)(us|ms|s)", self.interval).groups()
        return int(number) * {"us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


@dataclasses.dataclass(frozen=True)
class Agent:
    """A profiler of AGENTS that is available."""

    name: str
    home: str     # home of the JDK
    library: str  # path of the library; empty if it needs none
    argument: str = ""  # argument of the JVM, only for a profiler that is not in AGENTS

    def jvm_arguments(self, settings, recording):
        """Returns the arguments with which a JVM is recorded from its start to its end."""
        if self.argument:
            return [self.argument.replace("{folder}", os.path.dirname(recording))]
        row = AGENTS[self.name]
        if row.words is None:
            return []
        words = row.words(settings, recording, jdks.release(self.home))
        return [f"-XX:ErrorFile={recording}.error",
                f"-agentpath:{self.library}={words}" if self.library
                else f"-XX:StartFlightRecording:{words}"]

    def attach_request(self, settings, recording):
        """Returns the words for attach.ask() that start recording; None if it cannot attach."""
        if self.argument:
            return None
        row = AGENTS[self.name]
        if not row.attaches:
            return None
        words = row.words(settings, recording, jdks.release(self.home))
        if self.library:
            return ["load", self.library, "true", words]
        return ["jcmd", f"JFR.start name={JFR_NAME} " + words.replace(",", " ")]

    def stop_request(self):
        """Returns the words that stop what attach_request() started."""
        if self.library:
            return ["load", self.library, "true", "stop"]
        return ["jcmd", f"JFR.stop name={JFR_NAME}"]


def _ours(settings, recording, _):
    options = settings.options or "start," + ",".join(
        f"{event}={settings.interval}" for event in settings.events)
    return f"{options},file={recording}"


def _async_profiler(settings, recording, _):
    step = "alloc" if settings.event == ALLOCATIONS else "interval"
    words = f"start,event={settings.events[0]},{step}={settings.interval}"
    if settings.events == ["cpu", "wall"]:
        words += f",wall={settings.interval}"
    return f"{words},jfr,file={recording}"


def _ddprof(settings, recording, _):
    names = {ALLOCATIONS: "memory"}
    words = [f"{names.get(event, event)}={settings.interval}" for event in settings.events]
    if "wall" in settings.events:
        words.append("filter=")  # all threads, even those that have not opted in
    return f"start,{','.join(words)},jfr,file={recording}"


# From JDK 25 on, samples of CPU time use JEP 509. Before, and for elapsed time, the periodic
# sampler is used. Allocations have as many samples a second as in JFR's default configuration.
def _jfr(settings, recording, release):
    words = []
    if settings.event == ALLOCATIONS:
        words += ["+jdk.ObjectAllocationSample#enabled=true",
                  "+jdk.ObjectAllocationSample#throttle=150/s"]
    elif "cpu" in settings.events and release >= 25:
        words += ["+jdk.CPUTimeSample#enabled=true",
                  f"+jdk.CPUTimeSample#throttle={settings.interval}"]
    if not words or "wall" in settings.events:
        for event in ("jdk.ExecutionSample", "jdk.NativeMethodSample"):
            words += [f"+{event}#enabled=true", f"+{event}#period={settings.interval}"]
    return ",".join(["settings=none", f"filename={recording}"] + words)


def _our_library(build):
    return build.library if os.path.exists(build.library) else None


def _our_library_before(build):
    return _our_library(build.before) if build.before else None


def _async_profiler_library(build):
    return artifacts.member(build, "async_profiler", f"linux-{ARCHITECTURE}/libasyncProfiler.so")


def _ddprof_library(build):
    return artifacts.member(
        build, "ddprof", f"META-INF/native-libs/linux-{ARCHITECTURE}/libjavaProfiler.so")


@dataclasses.dataclass(frozen=True)
class Row:
    words: typing.Optional[typing.Callable]
    library: typing.Callable  # returns the path of its library; None if it is not available
    attaches: bool
    missing: str


AGENTS = {
    NONE: Row(None, lambda build: "", False, ""),
    OURS: Row(_ours, _our_library, True, "not built: cmake --build --preset release"),
    BEFORE: Row(_ours, _our_library_before, True, "no build to compare with: --before BUILD"),
    "async-profiler": Row(_async_profiler, _async_profiler_library, True,
                          "tools.profiler:async-profiler is out of Maven's reach"),
    "ddprof": Row(_ddprof, _ddprof_library, False,
                  "com.datadoghq:ddprof is out of Maven's reach"),
    "jfr": Row(_jfr, lambda build: "", True, ""),
}


def names(text):
    """Returns the names in a list that is separated by commas. It is a type for argparse."""
    chosen = text.split(",")
    for name in chosen:
        if name not in AGENTS:
            raise ValueError(name)
    return chosen


def named_argument(text):
    """Returns (name, argument of the JVM) of "NAME=ARGUMENT". It is a type for argparse."""
    name, separator, argument = text.partition("=")
    if not separator or not name or name in AGENTS:
        raise ValueError(text)
    return name, argument


def add_arguments(parser, default=",".join(name for name in AGENTS if name != BEFORE)):
    parser.add_argument("--agents", type=names, default=names(default), metavar="NAME,...",
                        help=f"profilers: {', '.join(AGENTS)}; default: {default}")
    parser.add_argument("--agent", type=named_argument, action="append", default=[],
                        metavar="NAME=JVM_ARGUMENT",
                        help="another profiler; {folder} stands for a folder for its output")
    parser.add_argument("--options",
                        help="options of our agent, instead of those for all profilers")


def add_sampling_arguments(parser, interval="10ms", others=()):
    parser.add_argument("--event", choices=("cpu", "wall", "cpu,wall", *others), default="cpu")
    parser.add_argument("--interval", default=interval, help=f"default: {interval}")


def settings(arguments):
    return Settings(getattr(arguments, "event", "cpu"), getattr(arguments, "interval", "10ms"),
                    arguments.options)


def find(build, name, home):
    """Returns the Agent; prints the reason and returns None if it is not available."""
    library = AGENTS[name].library(build)
    if library is None:
        print(f"left out: {name}: {AGENTS[name].missing}", file=sys.stderr)
        return None
    return Agent(name, home, library)


def available(build, home, arguments):
    """Returns the agents of `--agents` that can be used with this JDK: a program runs with them,
    and they write a recording. Adds those of `--agent` and, with `--before`, the agent of that
    build."""
    names_wanted = list(arguments.agents)
    if build.before and BEFORE not in names_wanted:
        names_wanted.append(BEFORE)
    found = [find(build, name, home) for name in names_wanted]
    others = [Agent(name, home, "", argument) for name, argument in arguments.agent]
    return [agent for agent in found
            if agent and _works(build, agent, settings(arguments))] + others


def _works(build, agent, chosen):
    if agent.name == NONE:
        return True
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "trial.jfr")
        try:
            processes.run([agent.home + "/bin/java", *agent.jvm_arguments(chosen, recording),
                           "-cp", build.workloads, "Hello"])
            reason = None if os.path.exists(recording) else "leaves no recording"
        except processes.Failed as failure:
            reason = "a JVM with it does not end well: " + str(failure).splitlines()[0][:60]
    if reason:
        print(f"left out: {agent.name} on {jdks.name(agent.home)}: {reason}", file=sys.stderr)
    return reason is None
