"""Converts recordings to every format and checks that all formats agree."""

import os
import subprocess

import collapsed_reader
from firefox_reader import Firefox
from otlp_reader import Otlp
from pprof_reader import Pprof
from totals import Totals

JPROF = os.environ["JPROF_BIN"] + "/jprof"
MAKER = os.environ["JPROF_BIN"] + "/formats_maker"


def convert(recording, output, *options):
    """Converts a recording. False if the recording was refused, with an error of one line."""
    done = subprocess.run([JPROF, "convert", *options, recording, output], text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, timeout=60)
    if done.returncode != 0:
        assert done.returncode > 0 and len(done.stderr.splitlines()) == 1, done
    return done.returncode == 0


class Converted:
    """A recording in all formats; each file is converted, checked and read on first use."""

    def __init__(self, recording, folder):
        self.recording = recording
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, os.path.basename(self.recording)[:-4] + name)

    def _made(self, name, *options):
        path = self.path(name)
        assert convert(self.recording, path, *options), path
        return path

    def firefox(self):
        read = Firefox(self._made(".json"))
        read.check()
        return read

    def otlp(self):
        read = Otlp(self._made(".otlp"))
        read.check()
        return read

    def pprof(self, kind):
        read = Pprof(self._made(f".{kind}.pprof", "--event", kind))
        read.check()
        return read

    def collapsed(self, kind):
        path = self.path(f".{kind}.collapsed")
        subprocess.run([MAKER, "collapsed", self.recording, kind, path], check=True, timeout=60)
        return collapsed_reader.read(path)

    def values(self, kind, count, value, unit):
        """Reads samples whose values do not follow from their number: returns each format's values
        by thread and method, the values without threads for formats that have none, and the number
        of samples."""
        pprof = self.pprof(kind)
        otlp = Otlp(self._made(f".{kind}.otlp", "--event", kind))
        otlp.check()
        assert pprof.types == [(count, "count"), (value, unit)], pprof.types
        by_value = ("--event", kind, "--total", "value")
        with open(self._made(f".{kind}.txt", *by_value), encoding="utf-8", newline="\n") as file:
            lines = [line.rsplit(" ", 1) for line in file.read().split("\n")[:-1]]
        collapsed = Totals()
        for stack, weight in lines:
            frames = [collapsed_reader.SUFFIX.sub("", frame) for frame in stack.split(";")]
            collapsed.add("", frames[::-1], int(weight))
        return {
            "pprof": pprof.totals(1),
            "otlp": otlp.totals(otlp.profile((value, unit))),
        }, collapsed, (pprof.totals(0), otlp.totals(otlp.profile((count, "count"))))

    def flat(self, kind):
        """Returns the flat table as method -> (self, total)."""
        rows = {}
        with open(self._made(f".{kind}.flat", "--event", kind), encoding="utf-8") as file:
            lines = [line for line in file.read().split("\n") if line and not line.startswith("#")]
        for line in lines[1:]:
            own, _, total, _, name = line.split(None, 4)
            rows[name] = int(own), int(total)
        return rows

    def totals(self, kind, interval_ns, firefox_pid):
        """Returns the totals of each format, in samples."""
        otlp, pprof = self.otlp(), self.pprof(kind)
        assert pprof.types == [("samples", "count"), (kind, "nanoseconds")], pprof.types
        assert pprof.period == interval_ns and pprof.period_type == (kind, "nanoseconds")
        profile = otlp.profile((kind, "nanoseconds"))
        assert profile.number(6) == interval_ns
        return {
            "collapsed": self.collapsed(kind),
            "pprof, samples": pprof.totals(0),
            "pprof, time": pprof.totals(1).scaled(interval_ns),
            "otlp": otlp.totals(profile).scaled(interval_ns),
            "firefox": self.firefox().totals(firefox_pid),
        }


def differences(totals, expected):
    """Returns the differences of each format from `expected` as text; empty if there are none."""
    lines = []
    for name, each in totals.items():
        difference = each.difference(expected)
        if difference:
            lines.append(f"{name}:\n{difference}")
    return "\n".join(lines)
