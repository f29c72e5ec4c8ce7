"""Describes the machine and the commit, on which figures depend."""

import datetime
import os
import platform
import subprocess

from benchlib.paths import ROOT


def _first_value(path, key):
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return "unknown"


def describe():
    memory_kb = _first_value("/proc/meminfo", "MemTotal").split()[0]
    return {
        "cpu": _first_value("/proc/cpuinfo", "model name"),
        "processors": len(os.sched_getaffinity(0)),
        "memory_gb": round(int(memory_kb) / 2**20) if memory_kb.isdigit() else 0,
        "kernel": platform.release(),
    }


def key(machine):
    """Returns a key. Figures of machines with the same key can be compared."""
    return "{cpu}, {processors} processors, {memory_gb} GB".format(**machine)


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "unknown"


def load():
    """Returns how many processes wanted to run in the last minute. Above 1, figures are noisy."""
    return round(os.getloadavg()[0], 2)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
