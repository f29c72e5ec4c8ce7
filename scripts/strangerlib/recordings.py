"""Reads figures of a recording with `jprof view --json`."""

import json
import math
import re
import subprocess

BROKEN = ("[break: ", "[truncated stack]", "[no stack]")
NAMELESS = ("[no method id]", "[unloaded class]", "[name not read]", "[no method name]",
            "[unknown method]", "[unknown class]")
LIMIT = 0.001  # greatest share of broken stacks, and of stacks without names
CHANCE = 1e-4


class Unreadable(Exception):
    """Raised for a recording that jprof refuses."""


def view(jprof, *words):
    """Returns the rows of a view."""
    done = subprocess.run([jprof, "view", *words, "--json", "--limit", "0"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unreadable(f"jprof view {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["rows"]


def most_by_chance(limit, count):
    """Returns how many of `count` stacks can be bad at random if each is bad with probability
    `limit`: 4 standard errors above the mean or, if the mean is below 30, the least number that
    a Poisson variable exceeds with a probability of at most CHANCE."""
    mean = limit * count
    if mean >= 30:
        return mean + 4 * math.sqrt(mean)
    beyond, term, number = 1.0, math.exp(-mean), 0
    while True:
        beyond -= term
        if beyond <= CHANCE:
            return number
        number += 1
        term *= mean / number


class Stacks:
    """The number of samples of each event, and how many of them lack callers or names."""

    def __init__(self, jprof, recording):
        self.samples = {}
        for row in view(jprof, "threads", "--total", "samples", recording):
            for event, count in row.items():
                if isinstance(count, (int, float)) and f"{event}Share" in row:
                    self.samples[event] = self.samples.get(event, 0) + count
        self.bad = {}     # number of samples by (event, placeholder in the stack)
        self.lost = []    # one line for each other kind of loss
        for row in view(jprof, "losses", recording):
            found = re.match(r"(\d+) samples with (.*) in their stack", row.get("reason", ""))
            if found:
                self.bad[row["event"], found.group(2)] = int(found.group(1))
            else:
                amount = f"{row['share']:.2%}" if row.get("share") else row.get("lost", "")
                self.lost.append(f"{row['event']} {amount} {row['reason']}")

    def count(self, begins, event=None):
        return sum(count for (of, name), count in self.bad.items()
                   if name.startswith(begins) and event in (None, of))

    def total(self):
        return sum(self.samples.values())

    def complaints(self):
        """Returns a line for each event with more bad stacks than the limit allows."""
        found = []
        for kind, begins in (("broken", BROKEN), ("nameless", NAMELESS)):
            for event, samples in self.samples.items():
                count = self.count(begins, event)
                if count > most_by_chance(LIMIT, samples):
                    names = sorted({name for (of, name) in self.bad
                                    if of == event and name.startswith(begins)})
                    found.append(f"{count} of {samples:.0f} stacks of {event} {kind}: "
                                 + ", ".join(names))
        return found


def sums(jprof, recording):
    """Returns {event: sum over all threads}: samples of cpu and wall, bytes of alloc, times of
    waits."""
    found = {}
    for row in view(jprof, "threads", "--total", "value", recording):
        for event, value in row.items():
            if isinstance(value, (int, float)) and f"{event}Share" in row:
                found[event] = found.get(event, 0) + value
    return found


def calls(jprof, recording):
    """Returns {method: calls} of the traced methods that were called. Overloads count as one
    method."""
    found = {}
    for row in view(jprof, "events", "profiler.MethodLatency", recording):
        counts = found.setdefault(row["method"], {})
        # Rows with the same start time are overloads. Each chunk has the counts since the recording
        # began.
        counts[row["startTime"]] = counts.get(row["startTime"], 0) + row["calls"]
    return {method: max(counts.values()) for method, counts in found.items()}


def probes_bytes(jprof, recording):
    """Returns the bytes that the probes of `lock` and `trace` have allocated, of which alloc has
    no samples."""
    return sum(row["exact"] for row in view(jprof, "events", "profiler.AllocationCalibration",
                                            recording) if row.get("group") == "probes of jprof")


def own_nanos(jprof, recording):
    """Returns the CPU time of the profiler's own threads, which have no samples."""
    last = {row["part"]: row["total"]
            for row in view(jprof, "events", "profiler.ProfilerTime", recording)
            if row["part"].startswith("thread ")}
    return sum(last.values())


def cpu_nanos(jprof, recording):
    """Returns the CPU time of the process from the first sample to the end of the recording."""
    last = {}
    for row in view(jprof, "events", "profiler.Counter", recording):
        last[row["name"]] = max(row["value"], last.get(row["name"], 0))
    return last["ns of CPU of the process"] - last["ns of CPU before the first sample of cpu"]
